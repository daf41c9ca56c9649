// A toy controller in the place of yours.
#pragma once

#include "flat.hpp"

// RFC 9002, section 7 and appendix B. app_limited_grows is a mistake, planted for the test.
class NewReno {
  public:
    explicit NewReno(bool app_limited_grows) : app_limited_grows(app_limited_grows) {}

    void begin(const flat::Json &config) {
        datagram = *config["max_datagram_size_bytes"];
        auto recommended = std::min(10 * datagram, std::max<std::uint64_t>(14720, 2 * datagram));
        cwnd = config["initial_window_bytes"].number.value_or(recommended);
        ssthresh.reset();
        recovery_start = 0;
    }

    flat::Observed on_event(const flat::Json &event) {
        const std::string &kind = event["ev"].text;
        if (kind == "ack" && (app_limited_grows || *event["app_limited"] == 0)) {
            for (const auto &run : event["packets"].items) // first, last, size_bytes, sent_t_ns
                for (auto packet = *run[0]; packet <= *run[1]; packet++) on_packet_acked(*run[2], *run[3]);
        } else if (kind == "lost") {
            std::uint64_t latest = 0;
            for (const auto &run : event["packets"].items) latest = std::max(latest, *run[3]);
            on_congestion(latest, *event["t_ns"]);
        } else if (kind == "ce") {
            on_congestion(*event["sent_t_ns"], *event["t_ns"]);
        } else if (kind == "persistent_congestion") {
            cwnd = 2 * datagram;
            recovery_start = 0;
        }
        return {{"cwnd_bytes", cwnd}, {"ssthresh_bytes", ssthresh}};
    }

  private:
    bool app_limited_grows;
    std::uint64_t datagram = 0, cwnd = 0, recovery_start = 0;
    std::optional<std::uint64_t> ssthresh;

    void on_packet_acked(std::uint64_t size, std::uint64_t sent) {
        if (sent <= recovery_start) return;
        bool slow_start = !ssthresh || cwnd < *ssthresh;
        cwnd = std::min(cwnd + (slow_start ? size : datagram * size / cwnd), (std::uint64_t{1} << 62) - 1);
    }

    void on_congestion(std::uint64_t sent, std::uint64_t now) {
        if (sent <= recovery_start) return;
        recovery_start = now;
        ssthresh = cwnd / 2;
        cwnd = std::max(*ssthresh, 2 * datagram);
    }
};
