// Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied; C++17, one header.
// Strict: a line whose members are not exactly those of pages/flat-format.md is refused with an exception.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flat {

// A value: null, a truth or a number in `number`, a text in `text`, a list in `items`, an object in `items` with `names`.
struct Json {
    std::optional<std::uint64_t> number;
    std::string text;
    std::vector<Json> items;
    std::vector<std::string> names;

    std::size_t place(std::string_view name) const {
        return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    }
    const Json &operator[](std::string_view name) const { return items.at(place(name)); }
    const Json &operator[](std::size_t at) const { return items.at(at); }
    std::uint64_t operator*() const { return number.value(); }
};

struct Scanner {
    std::string_view rest;

    void need(bool holds, const char *wanted) const {
        if (!holds) throw std::runtime_error(std::string(wanted) + " is needed at " + std::string(rest.substr(0, 60)));
    }
    bool take(std::string_view token) {
        bool there = rest.substr(0, token.size()) == token;
        if (there) rest.remove_prefix(token.size());
        return there;
    }
    // Pass over blanks behind a comma or colon, which messages of the adapter protocol may have.
    void blanks() { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); }
    std::string text() {
        std::string found;
        for (need(take("\""), "a text"); !take("\""); rest.remove_prefix(1)) {
            take("\\"); // only \" and \\ occur
            need(!rest.empty(), "the end of a text");
            found += rest.front();
        }
        return found;
    }
    Json value() {
        Json found;
        if (take("null")) return found;
        if (take("true")) return found.number = 1, found;
        if (take("false")) return found.number = 0, found;
        if (rest.substr(0, 1) == "\"") return found.text = text(), found;
        for (const char *pair : {"[]", "{}"}) {
            if (!take({pair, 1})) continue;
            while (!take({pair + 1, 1})) {
                need(found.items.empty() || take(","), "a comma"), blanks();
                if (*pair == '{') found.names.push_back(text()), need(take(":"), "a colon"), blanks();
                found.items.push_back(value());
            }
            return found;
        }
        std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
        need(digits > 0 && digits <= 20, "a number");
        found.number = std::stoull(std::string(rest.substr(0, digits)));
        return rest.remove_prefix(digits), found;
    }
};

inline Json parse(std::string_view line) {
    Scanner scanner{line};
    Json found = scanner.value();
    return scanner.need(scanner.rest.empty(), "the end of the line"), found;
}

inline Json members(Json object, const std::string &names) {
    std::istringstream words(names);
    std::vector<std::string> wanted;
    for (std::string word; words >> word;) wanted.push_back(word);
    if (object.names != wanted) throw std::runtime_error("other members than " + names);
    return object;
}

// Read an event, with what is expected after it.
inline Json read_event(std::string_view line) {
    static const std::map<std::string, std::string> kinds{
        {"sent", "packets bytes bytes_in_flight app_limited retransmits"},
        {"ack", "packets bytes bytes_in_flight next_packet app_limited latest_rtt_ns min_rtt_ns smoothed_rtt_ns ack_delay_ns "
                "oldest_unacked_packet"},
        {"lost", "packets bytes bytes_in_flight next_packet"},
        {"ce", "packet sent_t_ns ce_count"},
        {"backlog", "queued_bytes receive_window_bytes latest_rtt_ns"},
        {"saved_path", "saved_cwnd_bytes saved_rtt_ns endpoint_matches in_use expires_t_ns max_jump_bytes beta_numerator "
                       "beta_denominator"},
        {"persistent_congestion", ""}, {"pto", ""}, {"path_change", ""}, {"spurious_loss", ""}, {"idle_restart", ""}};
    Json event = parse(line);
    auto kind = kinds.find(event["ev"].text);
    if (kind == kinds.end()) throw std::runtime_error("unknown event " + event["ev"].text);
    members(event["expect"], "cwnd_bytes ssthresh_bytes phase outcome next_release_ns trigger state");
    return members(std::move(event), "line i ev t_ns " + kind->second + " expect allowed");
}

// What a controller answers, by name; no value: null.
using Observed = std::map<std::string, std::optional<std::uint64_t>>;

// Return where a controller departs from what is right after an event, an empty text if it does not.
template <typename Controller> std::string difference(const Json &one, const Json &event, Controller &controller) {
    auto shown = [](std::optional<std::uint64_t> value) { return value ? std::to_string(*value) : "null"; };
    for (const auto &[name, observed] : controller.on_event(event)) {
        const Json &expected = event["expect"][name], &allowed = event["allowed"];
        auto same = [value = observed](const Json &right) { return right.number == value; };
        auto right = allowed.place(name) < allowed.items.size() ? allowed[name].items : std::vector<Json>{expected};
        if (std::any_of(right.begin(), right.end(), same)) continue;
        return one["case"].text + ", event " + shown(*event["i"]) + " (" + event["ev"].text + " at " + shown(*event["t_ns"]) +
               " ns): " + name + ": expected " + shown(expected.number) + ", observed " + shown(observed);
    }
    return "";
}

// Judge a controller by all cases of a file, beginning it anew for each with begin(case); it answers on_event(event) with Observed.
// Return the first difference of each case that has one.
template <typename Controller> std::vector<std::string> differences(std::istream &file, Controller &controller) {
    std::vector<std::string> found;
    std::string line;
    auto next = [&]() -> std::string_view { return std::getline(file, line) ? line : throw std::runtime_error("a line is missing"); };
    Json header = members(parse(next()), "line format version algorithm profile observables state cases");
    if (*header["format"] != 1) throw std::runtime_error("is of another format");
    for (std::uint64_t cases = *header["cases"]; cases > 0; cases--) {
        Json one = members(parse(next()), "line case max_datagram_size_bytes initial_window_bytes events granularity bits flags "
                                          "tier level clauses ours title why");
        controller.begin(one);
        std::string first;
        for (std::uint64_t events = *one["events"]; events > 0; events--) {
            Json event = read_event(next());
            if (first.empty()) first = difference(one, event, controller);
        }
        if (!first.empty()) found.push_back(first);
    }
    return found;
}

} // namespace flat
