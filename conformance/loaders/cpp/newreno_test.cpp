// The toy controller judged by the vectors of RFC 9002, the loader by broken files: newreno_test FLAT BROKEN, their folders.
#include "newreno.hpp"

#include <fstream>
#include <iostream>

static int failed = 0;

static void check(const std::string &what, bool holds) {
    std::cout << (holds ? "ok      " : "FAILED  ") << what << "\n";
    failed |= !holds;
}

static std::string verdict(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    NewReno controller(false);
    try {
        return flat::differences(file, controller).empty() ? "agrees" : "differs";
    } catch (const std::runtime_error &) {
        return "refused";
    }
}

int main(int argc, char **argv) {
    std::string path = std::string(argc > 1 ? argv[1] : "../../flat") + "/slow-start/rfc-9002.ndjson";
    std::string broken = argc > 2 ? argv[2] : "../broken", name, wanted;
    std::ifstream right_file(path), wrong_file(path), verdicts(broken + "/verdicts.tsv");
    NewReno right(false), wrong(true);
    check("a right controller agrees", flat::differences(right_file, right).empty());
    auto found = flat::differences(wrong_file, wrong);
    check("a mistake is found: " + found.at(0), found[0].rfind("slow-start.app-limited.", 0) == 0);
    int count = 0;
    for (; verdicts >> name >> wanted; count++) check("broken: " + name + " is " + wanted, verdict(broken + '/' + name) == wanted);
    check("broken files: " + std::to_string(count) + " looked at", count > 0);
    return failed;
}
