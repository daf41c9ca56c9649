// A toy controller in the place of yours.
#pragma once

#include "flat.hpp"

enum class Mistake { none, app_limited_grows, stays_in_recovery }; // planted for the test

// RFC 9002, section 7 and appendix B.
class NewReno {
  public:
    explicit NewReno(Mistake mistake) : mistake(mistake) {}

    void begin(const flat::Json &config) {
        datagram = *config["max_datagram_size_bytes"];
        configured = config["initial_window_bytes"].number;
        begin_path(0);
    }

    flat::Observed on_event(const flat::Json &event) {
        const std::string &kind = event["ev"].text;
        if (kind == "ack" && !event.is_true("not_in_flight")) {
            bool grows = mistake == Mistake::app_limited_grows || *event["app_limited"] == 0;
            for (const auto &run : event["packets"].items) { // first, last, size_bytes, sent_t_ns
                in_recovery = in_recovery && (*run[3] <= recovery_start || mistake == Mistake::stays_in_recovery);
                for (auto packet = *run[0]; grows && packet <= *run[1]; packet++) on_packet_acked(*run[2], *run[3]);
            }
        } else if (kind == "lost" && !event.is_true("pmtu_probe")) { // ignore lost PMTU probes
            std::uint64_t latest = 0;
            for (const auto &run : event["packets"].items) latest = std::max(latest, *run[3]);
            on_congestion(latest, *event["t_ns"]);
        } else if (kind == "ce") {
            on_congestion(*event["sent_t_ns"], *event["t_ns"]);
        } else if (kind == "persistent_congestion") {
            cwnd = 2 * datagram;
            recovery_start = 0;
            in_recovery = false;
        } else if (kind == "path_change") {
            begin_path(*event["t_ns"]);
        } else if (kind == "datagram_size") {
            bool smaller = *event["max_datagram_size_bytes"] < datagram;
            datagram = *event["max_datagram_size_bytes"];
            if (smaller && event.is_true("handshake")) cwnd = std::min(cwnd, initial_window());
        }
        std::string phase = in_recovery ? "recovery" : is_in_slow_start() ? "slow_start" : "congestion_avoidance";
        flat::Value start = recovery_start > 0 ? flat::Value{recovery_start} : flat::Value{};
        return {{"cwnd_bytes", cwnd}, {"ssthresh_bytes", flat::value_of(ssthresh)}, {"phase", phase}, {"recovery_start_ns", start}};
    }

  private:
    Mistake mistake;
    bool in_recovery = false;
    std::uint64_t datagram = 0, cwnd = 0, recovery_start = 0, path_start = 0;
    std::optional<std::uint64_t> configured;
    std::optional<std::uint64_t> ssthresh;

    std::uint64_t initial_window() const { return std::min(10 * datagram, std::max<std::uint64_t>(14720, 2 * datagram)); }

    bool is_old(std::uint64_t sent) const { return sent <= std::max(recovery_start, path_start); }

    void begin_path(std::uint64_t now) {
        cwnd = configured.value_or(initial_window());
        ssthresh.reset();
        recovery_start = 0;
        in_recovery = false;
        path_start = now;
    }

    bool is_in_slow_start() const { return !ssthresh || cwnd < *ssthresh; }

    void on_packet_acked(std::uint64_t size, std::uint64_t sent) {
        if (is_old(sent)) return;
        cwnd = std::min(cwnd + (is_in_slow_start() ? size : datagram * size / cwnd), (std::uint64_t{1} << 62) - 1);
    }

    void on_congestion(std::uint64_t sent, std::uint64_t now) {
        if (is_old(sent)) return;
        recovery_start = now;
        in_recovery = true;
        ssthresh = cwnd / 2;
        cwnd = std::max(*ssthresh, 2 * datagram);
    }
};
