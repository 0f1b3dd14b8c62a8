// What the programs for tags and bursts share: counting, the clocks, the answer.

#pragma once

#include <gnuradio/constants.h>
#include <gnuradio/io_signature.h>
#include <gnuradio/top_block.h>

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

// Items or bursts that reached the sink: the sink writes, the measurement and a source that waits read.
alignas(128) inline std::atomic<uint64_t> arrived{ 0 };

inline gr::io_signature::sptr none() { return gr::io_signature::make(0, 0, 0); }
inline gr::io_signature::sptr one() { return gr::io_signature::make(1, 1, sizeof(float)); }

inline double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

struct measured {
    uint64_t count;
    double seconds, cpu_seconds;
};

// Starts a graph, lets it settle for 0.1 s, and counts what arrives in the time wanted. The graph is left running.
inline measured count_arrivals(gr::top_block& top, double wanted)
{
    using clock = std::chrono::steady_clock;
    top.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto before = clock::now();
    const double cpu_before = cpu_seconds();
    const uint64_t count_before = arrived.load();
    std::this_thread::sleep_for(std::chrono::duration<double>(wanted));
    const uint64_t count = arrived.load() - count_before;
    const double cpu = cpu_seconds() - cpu_before;
    return { count, std::chrono::duration<double>(clock::now() - before).count(), cpu };
}

// Prints the JSON line, with `more` in it, and ends the process: nobody waits for the threads to stop.
[[noreturn]] inline void answer(const measured& m, const std::string& more)
{
    std::printf("{\"peer\":\"gnuradio\",\"version\":\"%s\",%s,\"cpu_seconds\":%.6f,\"seconds\":%.6f}\n",
                gr::version().c_str(), more.c_str(), m.cpu_seconds, m.seconds);
    std::fflush(stdout);
    std::_Exit(m.count > 0 ? 0 : 1);
}

// `"name":value`
inline std::string entry(const char* name, double value)
{
    char text[100];
    std::snprintf(text, sizeof text, "\"%s\":%.6g", name, value);
    return text;
}
