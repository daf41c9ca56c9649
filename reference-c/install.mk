# Builds and installs the port; in the archive firstflight-c this file is the Makefile.
#
#   make lib                           build/c/libfirstflight.a and .so
#   make install PREFIX=/usr/local     headers, libraries and firstflight.pc; DESTDIR is put before all paths
#   make examples                      builds the programs of examples/ with this library, and runs them

PREFIX ?= /usr/local
INCLUDEDIR ?= $(PREFIX)/include
LIBDIR ?= $(PREFIX)/lib
BUILD ?= build
AR ?= ar
INSTALL ?= install
CFLAGS ?= -O2
INCLUDE ?= -I.

# Freestanding: the port may not rely on a library. With a section for each function, a program contains only called functions.
LIBRARY_FLAGS := -std=c11 -fPIC -ffreestanding -ffunction-sections -fdata-sections
# In the archive the plain headers have a folder. In the repository each is in the folder of its algorithm, with its driver.
PLAIN_HEADERS := $(sort $(wildcard plain/*.h) $(foreach drive,$(wildcard firstflight/*/drive_*.c),$(subst /drive_,/,$(drive:.c=.h))))
SOURCES := $(filter-out $(foreach kind,test drive proof,$(wildcard firstflight/*/$(kind)_*.c)),$(sort $(wildcard firstflight/*.c firstflight/*/*.c)))
HEADERS := $(filter-out $(PLAIN_HEADERS) $(wildcard firstflight/*/*_invariant.h),$(sort $(wildcard firstflight/*.h firstflight/*/*.h)))
ifeq ($(and $(SOURCES),$(HEADERS),$(PLAIN_HEADERS)),)
$(error there are no sources, headers or plain headers below $(CURDIR))
endif
OBJECTS := $(SOURCES:firstflight/%.c=$(BUILD)/c/%.o)
EXAMPLES := $(patsubst examples/%.c,%,$(sort $(wildcard examples/*.c)))
VERSION := $(shell sed -n 's/.*FF_VERSION_STRING "\(.*\)"/\1/p' firstflight/version.h)
# Until 1.0 a minor version may change the interface.
SONAME := libfirstflight.so.$(basename $(VERSION))

# The checksum covers sources, compiler and flags. File times do not show a copied or a removed source file,
BUILT_FROM := $(shell { printf '%s\n' '$(CC) $(CFLAGS) $(WARN) $(LIBRARY_FLAGS) $(INCLUDE)' $(SOURCES) $(HEADERS); $(CC) --version 2>&1; \
    cat $(SOURCES) $(HEADERS) $(MAKEFILE_LIST); } | cksum)
# or the remains of an interrupted build.
ifneq ($(BUILT_FROM),$(shell [ -e $(BUILD)/c/libfirstflight.a ] && cat $(BUILD)/c/built-from 2>/dev/null))
$(shell rm -rf $(BUILD)/c && mkdir -p $(BUILD)/c && printf '%s\n' '$(BUILT_FROM)' > $(BUILD)/c/built-from)
endif

.PHONY: lib install examples
.DELETE_ON_ERROR:

lib: $(BUILD)/c/libfirstflight.a $(BUILD)/c/libfirstflight.so

$(BUILD)/c/%.o: firstflight/%.c $(HEADERS) $(MAKEFILE_LIST)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(WARN) $(LIBRARY_FLAGS) $(INCLUDE) -c $< -o $@

$(BUILD)/c/libfirstflight.a: $(OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/c/libfirstflight.so: $(OBJECTS)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -o $@ $^

install: lib
	for file in $(HEADERS); do $(INSTALL) -D -m 644 $$file $(DESTDIR)$(INCLUDEDIR)/$$file || exit 1; done
	for file in $(PLAIN_HEADERS); do $(INSTALL) -D -m 644 $$file $(DESTDIR)$(INCLUDEDIR)/firstflight/plain/$${file##*/} || exit 1; done
	$(INSTALL) -D -m 644 $(BUILD)/c/libfirstflight.a $(DESTDIR)$(LIBDIR)/libfirstflight.a
	$(INSTALL) -D -m 755 $(BUILD)/c/libfirstflight.so $(DESTDIR)$(LIBDIR)/libfirstflight.so.$(VERSION)
	ln -sf libfirstflight.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libfirstflight.so
	mkdir -p $(DESTDIR)$(LIBDIR)/pkgconfig
	sed -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' firstflight.pc.in \
	    > $(DESTDIR)$(LIBDIR)/pkgconfig/firstflight.pc

examples: $(EXAMPLES:%=$(BUILD)/examples/%)
	@for program in $^; do echo "$$(basename $$program):"; $$program || exit 1; done

# As they are installed.
$(BUILD)/examples/include/.made: $(PLAIN_HEADERS)
	@rm -rf $(@D) && mkdir -p $(@D)/firstflight/plain
	@ln -s $(addprefix "$(CURDIR)"/,$^) $(@D)/firstflight/plain/
	@touch $@

$(BUILD)/examples/%: examples/%.c $(wildcard examples/*.h) $(HEADERS) $(BUILD)/c/libfirstflight.a $(BUILD)/examples/include/.made
	$(CC) $(CFLAGS) -std=c11 -I. -I$(@D)/include $< $(BUILD)/c/libfirstflight.a -o $@
