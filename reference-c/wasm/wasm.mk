# The port and the path simulator in WebAssembly: build/wasm/firstflight.wasm, with its JavaScript, as an npm package.
#
# The compiler is clang with wasm-ld, or zig from the Python package ziglang (`make wasm-extras`). WASM_CC names another.

ZIG := $(wildcard $(ROOT)/.venv/bin/python-zig)
ifneq ($(and $(shell command -v clang),$(shell command -v wasm-ld)),)
WASM_CC ?= clang --target=wasm32 -flto -Wl,--lto-O2
else ifneq ($(ZIG),)
WASM_CC ?= $(ZIG) cc -target wasm32-freestanding
endif

WASM_SOURCES := $(SOURCES) $(wildcard $(ROOT)/conformance/simulator/*.c) $(ADAPTER_SOURCES) $(ADAPTER)/json_lines.c \
    $(wildcard wasm/*.c wasm/libc/*.c)
WASM_HEADERS := $(HEADERS) $(ADAPTER_HEADERS) $(wildcard $(ROOT)/conformance/simulator/*.h wasm/*.h wasm/libc/*.h)
WASM_FLAGS := -std=c11 -O2 -Wall -Wextra -Werror -ffreestanding -fno-builtin -nostdlib -nostdlibinc -DFF_NO_INT128 \
    -Iwasm/libc $(ADAPTER_INCLUDE) -I$(ADAPTER) -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=262144

.PHONY: wasm
wasm: $(BUILD)/wasm/firstflight.wasm
	@cp wasm/firstflight.mjs wasm/firstflight.d.ts wasm/package.json wasm/README.md $(BUILD)/wasm/

$(BUILD)/wasm/firstflight.wasm: $(WASM_SOURCES) $(ADAPTER)/stdio_host.c $(WASM_HEADERS) Makefile wasm/wasm.mk
ifeq ($(WASM_CC),)
	@echo "wasm: there is no clang with wasm-ld here and no zig: apt-get install clang lld, or make wasm-extras" >&2; exit 1
else
	@mkdir -p $(@D)
	$(WASM_CC) $(WASM_FLAGS) $(WASM_SOURCES) -o $@
endif
