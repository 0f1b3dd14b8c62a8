// The chain on GNU Radio 3.10: CORES KERNELS WEIGHT SECONDS CONFIG.
//
// CONFIG is "default" (nothing set), "pinned" (each block has its core) or "pinned-KIB" (and output buffers of at least
// KIB each). Built by run.py with g++ and pkg-config; GNU Radio is GPL, so this program is only built and run, never
// distributed as a binary.

#include <gnuradio/constants.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr float gain = 0.999f;
constexpr float offset = 0.001f;

// Items that reached the sink: the sink writes, the measurement reads.
alignas(128) std::atomic<uint64_t> items{ 0 };

gr::io_signature::sptr none() { return gr::io_signature::make(0, 0, 0); }
gr::io_signature::sptr one() { return gr::io_signature::make(1, 1, sizeof(float)); }

// Gives all the room it is offered without writing.
struct source : gr::sync_block {
    source() : gr::sync_block("source", none(), one()) {}

    int work(int n, gr_vector_const_void_star&, gr_vector_void_star&) override { return n; }
};

// y[n] = gain * x[n] + offset, and weight - 1 times more in place on y.
struct saxpy : gr::sync_block {
    explicit saxpy(int weight) : gr::sync_block("saxpy", one(), one()), weight(weight) {}

    int work(int n, gr_vector_const_void_star& in, gr_vector_void_star& out) override
    {
        const float* __restrict x = static_cast<const float*>(in[0]);
        float* __restrict y = static_cast<float*>(out[0]);
        for (int i = 0; i < n; i++)
            y[i] = x[i] * gain + offset;
        for (int pass = 1; pass < weight; pass++) {
            asm volatile("" : : "r"(y) : "memory"); // The passes must not be merged into one.
            for (int i = 0; i < n; i++)
                y[i] = y[i] * gain + offset;
        }
        return n;
    }

    const int weight;
};

// Takes all there is without a look and counts it.
struct sink : gr::sync_block {
    sink() : gr::sync_block("sink", one(), none()) {}

    int work(int n, gr_vector_const_void_star&, gr_vector_void_star&) override
    {
        items.store(items.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
        return n;
    }
};

double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

// The cores that this process may use, in order.
std::vector<int> allowed_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &set))
            cores.push_back(core);
    return cores;
}

} // namespace

int main(int argc, char** argv)
{
    const int cores = argc == 6 ? std::atoi(argv[1]) : 0;
    const int kernels = argc == 6 ? std::atoi(argv[2]) : 0;
    const int weight = argc == 6 ? std::atoi(argv[3]) : 0;
    const double wanted = argc == 6 ? std::atof(argv[4]) : 0;
    const std::string config = argc == 6 ? argv[5] : "";
    const bool known = config == "default" || config.rfind("pinned", 0) == 0;
    if (cores < 1 || kernels < 1 || weight < 1 || wanted <= 0 || !known) {
        std::fprintf(stderr, "usage: CORES KERNELS WEIGHT SECONDS default|pinned|pinned-KIB\n");
        return 2;
    }

    std::vector<gr::block_sptr> chain{ gnuradio::make_block_sptr<source>() };
    for (int k = 0; k < kernels; k++)
        chain.push_back(gnuradio::make_block_sptr<saxpy>(weight));
    chain.push_back(gnuradio::make_block_sptr<sink>());

    auto top = gr::make_top_block("chain");
    for (size_t k = 1; k < chain.size(); k++)
        top->connect(chain[k - 1], 0, chain[k], 0);

    if (config != "default") {
        // Equal parts of the chain, the first cores take what is left over.
        const auto allowed = allowed_cores();
        const int used = std::min(cores, kernels);
        int next = 0;
        for (int core = 0; core < used; core++) {
            int share = kernels / used + (core < kernels % used ? 1 : 0);
            share += (core == 0 ? 1 : 0) + (core == used - 1 ? 1 : 0);
            for (; share > 0; share--)
                chain[next++]->set_processor_affinity({ allowed.at(core) });
        }
    }
    if (config.rfind("pinned-", 0) == 0) {
        const long kib = std::atol(config.c_str() + 7);
        for (size_t k = 0; k + 1 < chain.size(); k++)
            chain[k]->set_min_output_buffer(kib * 1024 / sizeof(float));
    }

    top->start();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    using clock = std::chrono::steady_clock;
    const auto before = clock::now();
    const double cpu_before = cpu_seconds();
    const uint64_t items_before = items.load();
    std::this_thread::sleep_for(std::chrono::duration<double>(wanted));
    const uint64_t count = items.load() - items_before;
    const double cpu = cpu_seconds() - cpu_before;
    const double seconds = std::chrono::duration<double>(clock::now() - before).count();
    std::printf("{\"peer\":\"gnuradio\",\"version\":\"%s\",\"cores\":%d,\"kernels\":%d,\"weight\":%d,\"config\":\"%s\","
                "\"rate\":%.1f,\"cpu_seconds\":%.6f,\"seconds\":%.6f}\n",
                gr::version().c_str(), cores, kernels, weight, config.c_str(), count / seconds, cpu, seconds);
    std::fflush(stdout);
    std::_Exit(count > 0 ? 0 : 1); // Nobody waits for the threads to stop.
}
