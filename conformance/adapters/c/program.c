/* A program with the loop of stdio_host.c. With the argument `bbr` its adapter is judged as BBR. */
#include <stdio.h>
#include <string.h>

#define main firstflight_serve
#include "stdio_host.c"
#undef main

unsigned char bbr;

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "bbr") != 0)) {
        fprintf(stderr, "usage: %s [bbr]\n", argv[0]);
        return 2;
    }
    bbr = argc == 2;
    return firstflight_serve();
}
