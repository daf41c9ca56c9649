// The toy controller behind the adapter protocol: firstflight run --adapter ./adapter --algorithm slow-start
#include "newreno.hpp"

#include <iostream>
#include <regex>

static const char hello[] = R"({"op":"hello","protocol":1,"name":"toy in C++","version":"1",)"
                            R"("algorithms":{"slow-start":["rfc-9002"]},"observables":["cwnd_bytes","ssthresh_bytes"]})";

// Numbers from 2^53 on are decimal strings.
static std::string encode(const flat::Value &value) {
    auto number = std::get_if<std::uint64_t>(&value);
    return !number || *number < std::uint64_t{1} << 53 ? flat::shown(value) : '"' + flat::shown(value) + '"';
}

static flat::Json decode(const std::string &line) {
    static const std::regex large("\"([0-9]{16,20})\"");
    return flat::parse(std::regex_replace(line, large, "$1"));
}

static std::string answer(const flat::Json &message, NewReno &controller) {
    const std::string &op = message["op"].text;
    if (op == "hello") return hello;
    if (op == "start" && (message["algorithm"].text != "slow-start" || message["profile"].text != "rfc-9002"))
        return R"({"op":"unsupported","reason":"only slow-start/rfc-9002"})";
    if (op == "start") return controller.begin(message["config"]), R"({"op":"started"})";
    if (op != "event") return R"({"op":"ended"})";
    std::string answer = R"({"op":"observed","i":)" + std::to_string(*message["i"]);
    auto observed = controller.on_event(message["event"]);
    for (const char *name : {"cwnd_bytes", "ssthresh_bytes"}) answer += ",\"" + std::string(name) + "\":" + encode(observed.at(name));
    return answer + "}";
}

int main() {
    NewReno controller(Mistake::none);
    for (std::string line; std::getline(std::cin, line);) std::cout << answer(decode(line), controller) << std::endl;
}
