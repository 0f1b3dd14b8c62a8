// A chain of copies with a tag every so many items, on GNU Radio 3.10: EVERY BLOCKS SECONDS; EVERY 0 is without tags.
//
// The same graph as `superhet bench tags`: a source that gives items without writing them, the stock copy block, and a
// sink that counts items and tags without reading items. Built by tags_and_bursts.py; GNU Radio is GPL, so this program is
// only built and run, never distributed as a binary.

#include "common.h"

#include <gnuradio/blocks/copy.h>
#include <gnuradio/sync_block.h>

#include <cstdlib>
#include <vector>

namespace {

struct source : gr::sync_block {
    explicit source(uint64_t every) : gr::sync_block("source", none(), one()), every(every) {}

    int work(int n, gr_vector_const_void_star&, gr_vector_void_star&) override
    {
        for (; every > 0 && next < nitems_written(0) + n; next += every)
            add_item_tag(0, next, key, pmt::from_uint64(next));
        return n;
    }

    const uint64_t every;
    uint64_t next = 0;
    const pmt::pmt_t key = pmt::intern("n");
};

// Whether a tag was missing, one too many, or on another item than its value says.
std::atomic<bool> wrong{ false };

struct sink : gr::sync_block {
    explicit sink(uint64_t every) : gr::sync_block("sink", one(), none()), every(every) {}

    int work(int n, gr_vector_const_void_star&, gr_vector_void_star&) override
    {
        get_tags_in_window(tags, 0, 0, n);
        for (const auto& tag : tags) {
            wrong = wrong || tag.offset != next || pmt::to_uint64(tag.value) != next;
            next += every;
        }
        const uint64_t end = nitems_read(0) + n;
        wrong = wrong || (every > 0 && next != (end + every - 1) / every * every);
        arrived.store(arrived.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
        return n;
    }

    const uint64_t every;
    uint64_t next = 0;
    std::vector<gr::tag_t> tags;
};

} // namespace

int main(int argc, char** argv)
{
    const long every = argc == 4 ? std::atol(argv[1]) : -1;
    const int blocks = argc == 4 ? std::atoi(argv[2]) : 0;
    const double wanted = argc == 4 ? std::atof(argv[3]) : 0;
    if (every < 0 || blocks < 1 || wanted <= 0) {
        std::fprintf(stderr, "usage: EVERY BLOCKS SECONDS\n");
        return 2;
    }
    auto top = gr::make_top_block("tags");
    gr::block_sptr last = gnuradio::make_block_sptr<source>(every);
    for (int k = 0; k < blocks; k++) {
        auto block = gr::blocks::copy::make(sizeof(float));
        top->connect(last, 0, block, 0);
        last = block;
    }
    top->connect(last, 0, gnuradio::make_block_sptr<sink>(every), 0);
    const measured m = count_arrivals(*top, wanted);
    if (wrong.load()) {
        std::fprintf(stderr, "tags are missing or misplaced\n");
        std::_Exit(1);
    }
    answer(m, entry("rate", m.count / m.seconds));
}
