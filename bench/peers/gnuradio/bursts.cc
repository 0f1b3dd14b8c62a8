// Bursts through a few blocks on GNU Radio 3.10: TRANSPORT BYTES BLOCKS SECONDS rate|latency.
//
// The same graphs as `superhet bench bursts`, source -> M x (y = x + 1, f32) -> sink:
//
//   stream   a length tag in a stream, through sync blocks
//   tagged   a length tag in a stream, through tagged_stream_blocks
//   pdus     PDUs through message ports
//
// `rate`: as many bursts as go; message ports have queues without bound, so at most 1000 PDUs are on their way.
// `latency`: one burst on its way; the time from where the source begins it until the sink has seen it whole.
// Built by tags_and_bursts.py; GNU Radio is GPL, so this program is only built and run, never distributed as a binary.

#include "common.h"

#include <gnuradio/sync_block.h>
#include <gnuradio/tagged_stream_block.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;

const pmt::pmt_t packet_len = pmt::intern("packet_len");
const pmt::pmt_t in_port = pmt::intern("in");
const pmt::pmt_t out_port = pmt::intern("out");

uint64_t items = 0;     // of a burst
int blocks = 0;         // between source and sink
bool latency = false;   // whether one burst at a time is on its way
std::atomic<int64_t> begun_ns{ 0 };
std::mutex delays_lock;
std::vector<double> delays_us;

int64_t now_ns() { return steady::now().time_since_epoch().count(); }
float item(uint64_t n) { return float(n % 4096); }

// Waits until burst `n` may be begun, with so many on their way at most.
void begin(uint64_t n, uint64_t on_their_way)
{
    for (uint64_t a; n >= (a = arrived.load()) + on_their_way;)
        arrived.wait(a);
    if (latency)
        begun_ns.store(now_ns());
}

void check(uint64_t n, const float* x, uint64_t length)
{
    for (uint64_t place : { uint64_t(0), length / 2, length - 1 })
        if (x[place] != item(n) + blocks)
            throw std::runtime_error("a burst is not what the blocks should have made of it");
}

void arrive(uint64_t n)
{
    if (latency) {
        const double delay = (now_ns() - begun_ns.load()) / 1e3;
        std::lock_guard<std::mutex> lock(delays_lock);
        delays_us.push_back(delay);
    }
    arrived.store(n + 1);
    arrived.notify_one();
}

void add_one(float* __restrict y, const float* __restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + 1;
}

struct stream_source : gr::sync_block {
    stream_source() : gr::sync_block("source", none(), one()) {}

    int work(int room, gr_vector_const_void_star&, gr_vector_void_star& out) override
    {
        float* y = static_cast<float*>(out[0]);
        uint64_t given = 0;
        while (given < uint64_t(room)) {
            if (left == 0) {
                // What has been given must go before this waits for its arrival.
                if (latency && given > 0)
                    break;
                if (latency)
                    begin(next, 1);
                add_item_tag(0, nitems_written(0) + given, packet_len, pmt::from_long(items));
                left = items;
                next++;
            }
            const uint64_t n = std::min<uint64_t>(room - given, left);
            std::fill_n(y + given, n, item(next - 1));
            given += n;
            left -= n;
        }
        return given;
    }

    uint64_t next = 0, left = 0;
};

struct stream_block : gr::sync_block {
    stream_block() : gr::sync_block("block", one(), one()) {}

    int work(int n, gr_vector_const_void_star& in, gr_vector_void_star& out) override
    {
        add_one(static_cast<float*>(out[0]), static_cast<const float*>(in[0]), n);
        return n;
    }
};

struct tagged_block : gr::tagged_stream_block {
    tagged_block() : gr::tagged_stream_block("block", one(), one(), "packet_len") {}

    int work(int, gr_vector_int& lengths, gr_vector_const_void_star& in, gr_vector_void_star& out) override
    {
        add_one(static_cast<float*>(out[0]), static_cast<const float*>(in[0]), lengths[0]);
        return lengths[0];
    }
};

struct stream_sink : gr::sync_block {
    stream_sink() : gr::sync_block("sink", one(), none()) {}

    int work(int available, gr_vector_const_void_star& in, gr_vector_void_star&) override
    {
        const float* x = static_cast<const float*>(in[0]);
        get_tags_in_window(tags, 0, 0, available, packet_len);
        size_t tag = 0;
        for (uint64_t taken = 0; taken < uint64_t(available);) {
            if (left == 0) {
                if (tag == tags.size() || tags[tag].offset != nitems_read(0) + taken)
                    throw std::runtime_error("a burst begins without a tag");
                left = pmt::to_long(tags[tag++].value);
            }
            const uint64_t n = std::min<uint64_t>(available - taken, left);
            check(next, x + taken, n);
            taken += n;
            left -= n;
            if (left == 0)
                arrive(next++);
        }
        return available;
    }

    std::vector<gr::tag_t> tags;
    uint64_t next = 0, left = 0;
};

struct pdu_source : gr::block {
    pdu_source() : gr::block("source", none(), none()) { message_port_register_out(out_port); }

    bool start() override
    {
        // The block's own thread only handles messages.
        std::thread([this] {
            for (uint64_t n = 0;; n++) {
                begin(n, latency ? 1 : 1000);
                pmt::pmt_t data = pmt::make_f32vector(items, item(n));
                message_port_pub(out_port, pmt::cons(pmt::PMT_NIL, data));
            }
        }).detach();
        return true;
    }
};

struct pdu_block : gr::block {
    pdu_block() : gr::block("block", none(), none())
    {
        message_port_register_in(in_port);
        message_port_register_out(out_port);
        set_msg_handler(in_port, [this](const pmt::pmt_t& pdu) {
            // A message may have other readers: its vector must not be changed.
            size_t length = 0;
            const float* x = pmt::f32vector_elements(pmt::cdr(pdu), length);
            pmt::pmt_t data = pmt::make_f32vector(length, 0);
            add_one(pmt::f32vector_writable_elements(data, length), x, length);
            message_port_pub(out_port, pmt::cons(pmt::car(pdu), data));
        });
    }
};

struct pdu_sink : gr::block {
    pdu_sink() : gr::block("sink", none(), none())
    {
        message_port_register_in(in_port);
        set_msg_handler(in_port, [this](const pmt::pmt_t& pdu) {
            size_t length = 0;
            const float* x = pmt::f32vector_elements(pmt::cdr(pdu), length);
            if (length != items)
                throw std::runtime_error("a burst has another length");
            check(next, x, length);
            arrive(next++);
        });
    }

    uint64_t next = 0;
};

template <class Source, class Block, class Sink, class Connect>
void build(Connect connect)
{
    gr::block_sptr last = gnuradio::make_block_sptr<Source>();
    for (int k = 0; k < blocks; k++) {
        gr::block_sptr block = gnuradio::make_block_sptr<Block>();
        connect(last, block);
        last = block;
    }
    connect(last, gr::block_sptr(gnuradio::make_block_sptr<Sink>()));
}

} // namespace

int main(int argc, char** argv)
{
    const std::string transport = argc == 6 ? argv[1] : "";
    const long bytes = argc == 6 ? std::atol(argv[2]) : 0;
    blocks = argc == 6 ? std::atoi(argv[3]) : 0;
    const double wanted = argc == 6 ? std::atof(argv[4]) : 0;
    const std::string mode = argc == 6 ? argv[5] : "";
    const bool known = transport == "stream" || transport == "tagged" || transport == "pdus";
    if (!known || bytes < 4 || bytes % 4 != 0 || blocks < 1 || wanted <= 0 || (mode != "rate" && mode != "latency")) {
        std::fprintf(stderr, "usage: stream|tagged|pdus BYTES BLOCKS SECONDS rate|latency\n");
        return 2;
    }
    items = bytes / sizeof(float);
    latency = mode == "latency";

    auto top = gr::make_top_block("bursts");
    auto streams = [&](gr::block_sptr from, gr::block_sptr to) { top->connect(from, 0, to, 0); };
    auto messages = [&](gr::block_sptr from, gr::block_sptr to) { top->msg_connect(from, "out", to, "in"); };
    if (transport == "stream")
        build<stream_source, stream_block, stream_sink>(streams);
    else if (transport == "tagged")
        build<stream_source, tagged_block, stream_sink>(streams);
    else
        build<pdu_source, pdu_block, pdu_sink>(messages);

    const measured m = count_arrivals(*top, wanted);
    if (!latency)
        answer(m, entry("rate", m.count / m.seconds));
    std::lock_guard<std::mutex> lock(delays_lock);
    // The first tenth is not counted: caches, clocks and threads warm up.
    std::vector<double> counted(delays_us.begin() + delays_us.size() / 10, delays_us.end());
    if (counted.empty())
        return 1;
    std::sort(counted.begin(), counted.end());
    const double mean = std::accumulate(counted.begin(), counted.end(), 0.0) / counted.size();
    auto quantile = [&](double share) { return counted[size_t(share * (counted.size() - 1))]; };
    answer(m, entry("mean_us", mean) + "," + entry("p50_us", quantile(0.5)) + "," + entry("p99_us", quantile(0.99)));
}
