# `make demo` decodes aircraft from a real recording; `make test` runs every test. Both install what they need.

CARGO ?= cargo
PYTHON := $(shell command -v python3)
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
NIGHTLY := $(shell $(CARGO) +nightly --version >/dev/null 2>&1 && echo yes)
MIRI := $(shell $(CARGO) +nightly miri --version >/dev/null 2>&1 && echo yes)

.PHONY: demo show check test apart fmt clippy doc unit deny scalar test-neon asan tsan miri loom device device-packages peers wheel python embedding zenoh web web-browser bench fuzz soak differential sbom release package book deb sdist portable-wheel

demo:
	$(CARGO) build --release --locked -p superhet-cli
	mkdir -p target/demo
	target/release/superhet adsb data/adsb/modes1_2Msps.cu8 --sigmf target/demo/modes1_2Msps --force

# Aircraft in the browser, up to Ctrl-C: the recording is offered over and over, as a radio behind rtl_tcp, and the dashboard shows what is
# received. PORT is where the radio is.
PORT ?= 12345
SHOWN ?= --dashboard
show:
	$(CARGO) build --release --locked -p superhet-cli
	@trap 'kill $$radio' EXIT; trap : INT TERM; superhet=target/release/superhet; \
	SUPERHET_LOG=error $$superhet serve data/adsb/modes1_2Msps.cu8 --repeat --rtl-tcp 127.0.0.1:$(PORT) & radio=$$!; \
	until $$superhet devices --json 127.0.0.1:$(PORT) 2>/dev/null | grep -q $(PORT); do sleep 0.1; done; \
	$$superhet decode adsb --from rtl_tcp://127.0.0.1:$(PORT) $(SHOWN) > target/show.txt

# What is quick, for between two edits.
check: fmt clippy

# All crates with the drivers of devices, which load their libraries when they are used: built once, for all that follows.
WORKSPACE := --locked --workspace --features superhet-cli/cuda,superhet-cli/opencl,superhet-cli/wgpu

# Many tests wait, for a network or a clock.
CORES := $(shell nproc 2>/dev/null || echo 4)
export RUST_TEST_THREADS ?= $(shell echo $$((2 * $(CORES))))

# Runs what failed once more, and names it.
AGAIN := $(wildcard $(CURDIR)/.ci/again)

test: fmt clippy doc unit deny scalar peers apart
	@echo "all tests passed"

# What builds nothing that another needs, two at a time, each on half of the cores: most of one of them is a test that waits, or one that
# has a core for itself. The first takes longest, and what it depends on is there before, else make begins all others first. Cargo is
# told of no jobserver, since what make opened of it is closed for recipes.
apart:
	$(if $(filter yes,$(PYTHON_FITS)),@$(MAKE) --no-print-directory $(VENV)/bin/maturin)
	+CARGO_MAKEFLAGS=-j RUST_TEST_THREADS=$(CORES) CARGO_BUILD_JOBS=$$((($(CORES) + 1) / 2)) $(MAKE) --no-print-directory \
		--output-sync=target -j2 python asan loom web miri test-neon embedding device

fmt:
	$(CARGO) fmt --all --check

clippy:
	$(CARGO) clippy $(WORKSPACE) --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(WORKSPACE) --no-deps

# A test of a device whose library is missing says so.
unit: device-packages
	$(AGAIN) $(CARGO) test $(WORKSPACE) --no-fail-fast

# Licences, crates and where they come from. Without cargo-deny the test `supply_chain`, a part of `unit`, has looked at them.
deny:
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny --offline check licenses bans sources; \
	else echo "deny: cargo-deny is not installed; the test supply_chain has checked deny.toml"; fi

# Every fuzz target in turn, MINUTES in all, or those in TARGETS. Installs cargo-fuzz; takes nightly and a C++ compiler.
MINUTES ?= 15
fuzz:
	CARGO="$(CARGO)" fuzz/run.sh $(MINUTES) $(TARGETS)

# Graphs that are changed in every way while they run, for SOAK_MINUTES: nothing may be lost, and memory stays flat. The C library
# keeps what was freed, up to 64 MiB for each of many arenas: here there is one, and large pieces go back to the system. Before that,
# the cases of the library's tests that `test` leaves out, since others are much like them.
SOAK_MINUTES ?= 30
SLOW := end_of_its_ranges
soak:
	SUPERHET_ALL_CASES=1 $(CARGO) test --locked -p superhet-blocks --test suite -- $(SLOW)
	MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=65536 SUPERHET_MINUTES=$(SOAK_MINUTES) \
	$(CARGO) test --release --locked -p superhet-runtime --test stress -- --nocapture

# Blocks against their definitions for MINUTES, those in BLOCKS or all; needs what `make python` has built.
differential:
	cd python/tests && PYTHONDONTWRITEBYTECODE=1 ../../target/python-tests/bin/python -m differential --minutes $(MINUTES) $(addprefix --block ,$(BLOCKS))

# What the program is made of (CycloneDX). Installs cargo-cyclonedx.
VERSION := $(shell sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$$/\1/p' Cargo.toml)
DIST := target/dist
SBOM := superhet-$(VERSION)-$(HOST).cdx.json

sbom:
	@$(CARGO) cyclonedx --version >/dev/null 2>&1 || $(CARGO) install cargo-cyclonedx --locked --version '^0.5'
	mkdir -p $(DIST)
	$(CARGO) cyclonedx --format json --describe crate --override-filename superhet-sbom --manifest-path crates/cli/Cargo.toml
	mv crates/cli/superhet-sbom.json $(DIST)/$(SBOM)
	rm -f crates/*/superhet-sbom.json python/superhet-sbom.json fuzz/superhet-sbom.json

# What docs/releasing.md calls a release, in target/dist. Drivers load their libraries when they are used, so they are in it.
RELEASED := --release --locked -p superhet-cli --features cuda,opencl
# The program is a tenth smaller when all of its crates are optimised at once. Linking runs on one core then.
release deb portable-wheel: export CARGO_PROFILE_RELEASE_LTO ?= fat
# And smaller again when each of them is compiled in one piece: what several pieces need is in it once.
release deb portable-wheel: export CARGO_PROFILE_RELEASE_CODEGEN_UNITS ?= 1

release: sbom
	@if $(CARGO) auditable --version >/dev/null 2>&1; then set -x; $(CARGO) auditable build $(RELEASED); \
	else set -x; $(CARGO) build $(RELEASED); fi
	mkdir -p $(DIST)/superhet-$(VERSION)
	cp target/release/superhet README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT crates/terminal/assets/LICENSE-DejaVu.txt \
	    $(DIST)/superhet-$(VERSION)
	tar -C $(DIST) -czf $(DIST)/superhet-$(VERSION)-$(HOST).tar.gz superhet-$(VERSION)
	rm -r $(DIST)/superhet-$(VERSION)
	git archive --prefix=superhet-$(VERSION)/ -o $(DIST)/superhet-$(VERSION).source.tar.gz HEAD
	cd $(DIST) && sha256sum superhet-$(VERSION)* > SHA256SUMS

# A Debian package of the command, with its manual pages and completions, in target/debian. Installs cargo-deb.
deb:
	@$(CARGO) deb --version >/dev/null 2>&1 || $(CARGO) install cargo-deb --locked --version '^3'
	$(CARGO) build $(RELEASED)
	rm -rf target/deb && mkdir -p target/deb
	target/release/superhet man --out target/deb/man
	target/release/superhet completions bash > target/deb/superhet.bash
	target/release/superhet completions zsh > target/deb/_superhet
	target/release/superhet completions fish > target/deb/superhet.fish
	$(CARGO) deb --no-build -p superhet-cli

# The crates as they would be published, in target/package, and a list of what is in each.
CRATES := macros kernels runtime fft blocks numbers io flow device monitor terminal bench command cli
PACKAGED := -p superhet $(addprefix -p superhet-,$(CRATES))

package:
	$(CARGO) package --locked --no-verify $(PACKAGED)
	@for crate in superhet $(addprefix superhet-,$(CRATES)); do \
		tar -tzf target/package/$$crate-$(VERSION).crate | sed 's|^|  |' > target/package/$$crate.txt; \
		echo "$$crate: $$(wc -l < target/package/$$crate.txt) files"; done

# The guides as a site, in target/book, with a page for each block. Installs mdbook.
book:
	@mdbook --version >/dev/null 2>&1 || $(CARGO) install mdbook --locked --version '^0.5'
	$(CARGO) build --locked -p superhet-cli
	rm -rf target/book target/book-source && mkdir -p target/book-source && cp -r docs target/book-source
	target/debug/superhet blocks --markdown target/book-source/docs/blocks
	cat target/book-source/docs/blocks/SUMMARY.md >> target/book-source/docs/SUMMARY.md
	mdbook build --dest-dir $(CURDIR)/target/book target/book-source/docs

# The same tests with the plain kernels, by the programs that `unit` has built: cargo would build all of them anew for some of the
# packages alone, since what others ask of the crates that they share is then missing.
TESTS := target/tests.json
# What depends on kernels, and is not about schedulers or memory.
SCALAR_blocks := --skip end_of_its_ranges
SCALAR_cli := adsb:: bands:: receivers:: ships:: stations:: wifi:: --skip depend

scalar:
	mkdir -p target
	$(CARGO) test $(WORKSPACE) --no-run --message-format json > $(TESTS)
	@sed -nE 's,.*"package_id":"[^"]*/crates/(kernels|blocks|command|cli)#.*"profile":\{[^}]*"test":true\}.*"executable":"([^"]*)".*,\1 \2,p' $(TESTS) | \
	{ ran=0; while read -r crate program; do \
		case $$crate in kernels) some= ;; blocks) some="$(SCALAR_blocks)" ;; *) some="$(SCALAR_cli)" ;; esac; \
		echo "scalar: $$program $$some"; ran=$$((ran + 1)); \
		(cd crates/$$crate && SUPERHET_KERNEL=scalar $(AGAIN) "$$program" --quiet $$some) || exit 1; \
	done; [ $$ran -ge 6 ] || { echo "scalar: expected the tests of four packages, found $$ran programs in $(TESTS)"; exit 1; }; }

# The kernels' tests on an emulated aarch64, where plain code is compiled for NEON: about two minutes.
NEON_TARGET := aarch64-unknown-linux-gnu
NEON_LINKER := $(shell command -v aarch64-linux-gnu-gcc)
NEON_RUNNER := $(shell command -v qemu-aarch64 || command -v qemu-aarch64-static)
NEON_STD := $(wildcard $(shell rustc --print sysroot)/lib/rustlib/$(NEON_TARGET)/lib)
NEON_MISSING := $(if $(NEON_STD),,the Rust target $(NEON_TARGET))$(if $(NEON_LINKER),, aarch64-linux-gnu-gcc)$(if $(NEON_RUNNER),, qemu-aarch64)

test-neon:
ifeq ($(strip $(NEON_MISSING)),)
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$(NEON_LINKER) \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$(NEON_RUNNER) -L /usr/aarch64-linux-gnu" \
	CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
	CARGO_TARGET_DIR=target/neon $(CARGO) test --locked --release --target $(NEON_TARGET) -p superhet-kernels --lib
else
	@echo "test-neon: skipped, not installed: $(strip $(NEON_MISSING))"
endif

# Every order in which two threads can use a ring and its parking.
loom:
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom $(CARGO) test --locked -p superhet-runtime --lib loom_

# The unsafe code of buffers and kernels under the address sanitizer, with the overflow checks and assertions of the dev profile.
GRAPH_TESTS := --test sanitized --test random_graphs

asan:
ifeq ($(NIGHTLY),yes)
	SUPERHET_CASES=200 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR=target/asan $(AGAIN) $(CARGO) +nightly test --locked --target $(HOST) \
		-p superhet-kernels -p superhet-runtime --lib $(GRAPH_TESTS)
else
	@echo "asan: skipped, no nightly toolchain is installed"
endif

# Whole graphs under the thread sanitizer, which has to see the standard library's code, too, and all calls that map memory: else
# it takes two graphs that get the same pages, one after the other, for a race.
RUST_SRC := $(wildcard $(shell rustc +nightly --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/Cargo.lock)

tsan:
ifeq ($(and $(NIGHTLY),$(RUST_SRC)),)
	@echo "tsan: skipped, no nightly toolchain with its sources (rust-src) is installed"
else
	SUPERHET_CASES=100 RUSTFLAGS="-Zsanitizer=thread --cfg=rustix_use_libc" CARGO_TARGET_DIR=target/tsan $(CARGO) +nightly test -Zbuild-std --locked --target $(HOST) \
		-p superhet-runtime $(GRAPH_TESTS)
endif

# Buffers under miri, on fewer lengths; mirrored memory is not known to it.
miri:
ifeq ($(MIRI),yes)
	MIRIFLAGS="-Zmiri-disable-isolation" CARGO_TARGET_DIR=target/miri $(CARGO) +nightly miri test --locked \
		-p superhet-runtime --lib stream::buffer
else
	@echo "miri: skipped, the nightly toolchain has no miri component"
endif

# A program outside of this workspace that depends on `superhet` alone; and the crates as a program has them by default, without the
# catalogue, which have no warnings then either.
embedding: export RUSTFLAGS := -D warnings
embedding: export CARGO_TARGET_DIR := $(CURDIR)/target/embedding
embedding:
	cd crates/superhet/tests/embedding && $(CARGO) run --locked -p embedding
	cd crates/superhet/tests/embedding && $(CARGO) run --locked -p renamed
	$(CARGO) check --locked -p superhet

# Links over Zenoh, and the command with them, outside of this workspace. No part of `test`: Zenoh brings some 200 crates, all of which are
# optimised here, as it is for what it carries. Its licences are in a deny.toml of its own.
ZENOH := cd crates/zenoh && CARGO_PROFILE_RELEASE_LTO=off CARGO_TARGET_DIR=$(CURDIR)/target/zenoh

zenoh:
	cd crates/zenoh && $(CARGO) fmt --check
	$(ZENOH) $(CARGO) clippy --release --locked --all-targets -- -D warnings
	$(ZENOH) $(CARGO) test --release --locked
	@if $(CARGO) deny --version >/dev/null 2>&1; then cd crates/zenoh && $(CARGO) deny --offline check licenses bans sources; \
	else echo "zenoh: cargo-deny is not installed; crates/zenoh/deny.toml is not checked"; fi

# A driver of a device by a crate of somebody else's.
device:
	cd crates/device/tests/loopback-fpga && CARGO_TARGET_DIR=$(CURDIR)/target/loopback $(CARGO) test --locked

# The drivers that PoCL and lavapipe make of the processor.
device-packages:
	@if ls /etc/OpenCL/vendors/*.icd /usr/share/vulkan/icd.d/*.json >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		timeout 300 apt-get install -y -o Acquire::http::Timeout=20 --no-install-recommends ocl-icd-libopencl1 pocl-opencl-icd libvulkan1 mesa-vulkan-drivers \
			|| echo "device: some drivers are not installed, as apt-get failed; their tests are skipped"; \
	else echo "device: some drivers are not installed, and only root can do it with apt-get; their tests are skipped"; fi

# The script that runs the peers needs nothing but Python, and no peer. PMTs are compared with GNU Radio's where it is.
peers:
ifneq ($(PYTHON),)
	$(PYTHON) -m unittest discover bench/peers
	CARGO=$(CARGO) $(PYTHON) bench/peers/gnuradio_pmt.py
	$(PYTHON) bench/peers/gnuradio_pmt_python.py
	$(PYTHON) bench/peers/gnuradio_digital.py
else
	@echo "peers: skipped, no python3 is installed"
endif

# The Python package as a wheel for any CPython from 3.10 on, and its tests in a virtual environment of their own.
VENV := target/python
PYTHON_FITS := $(if $(PYTHON),$(shell $(PYTHON) -c 'import sys, venv, ensurepip; print("yes" if sys.version_info >= (3, 10) else "")' 2>/dev/null))

$(VENV)/bin/maturin:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet 'maturin>=1.9,<2' 'numpy>=1.24'

wheel: $(VENV)/bin/maturin
	rm -rf target/wheels
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/maturin build --release --locked --quiet --manifest-path python/Cargo.toml --out target/wheels

# The package as source, beside the wheel.
sdist: $(VENV)/bin/maturin
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/maturin sdist --manifest-path python/Cargo.toml --out target/wheels

# A wheel for systems with glibc 2.28 or newer, linked by zig, which knows the names of older ones. TARGET names another processor,
# whose standard library rustup has: aarch64-unknown-linux-gnu.
TARGET ?= $(HOST)
portable-wheel: $(VENV)/bin/maturin
	$(VENV)/bin/pip install --quiet 'ziglang>=0.13,<1'
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/maturin build --release --locked --quiet --zig --target $(TARGET) \
		--compatibility manylinux_2_28 --manifest-path python/Cargo.toml --out target/wheels

ifeq ($(PYTHON_FITS),yes)
# The wheel of its tests is made of what `unit` has built, with the same features. `make python PYTHON_PROFILE=release` tests optimised code.
PYTHON_PROFILE ?= dev

python: $(VENV)/bin/maturin
	rm -rf target/wheels-tests
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/maturin build --profile $(PYTHON_PROFILE) --features wgpu --locked --quiet \
		--manifest-path python/Cargo.toml --out target/wheels-tests
	rm -rf target/python-tests && $(PYTHON) -m venv target/python-tests
	target/python-tests/bin/pip install --quiet "$$(echo target/wheels-tests/superhet-*.whl)[dask]" duckdb polars
	cd python/tests && PYTHONDONTWRITEBYTECODE=1 $(AGAIN) ../../target/python-tests/bin/python -m unittest discover
	PYTHONDONTWRITEBYTECODE=1 target/python-tests/bin/python bench/peers/differential.py --cases 5
else
python:
	@echo "python: skipped, there is no python3 from 3.10 on that can make virtual environments"
endif

# The dashboard's page: types, unit tests, web/dist as a build gives it, and tests in a browser against a mock and the command.
NODE_FITS := $(shell command -v npm >/dev/null && node -e 'const [a, b] = process.versions.node.split("."); console.log(a > 22 || (a == 22 && b >= 12) || (a == 20 && b >= 19) ? "yes" : "")' 2>/dev/null)

ifeq ($(NODE_FITS),yes)
web: web-browser
	cd web && npm ci && npm run check && npm test
	cd web && npm run build -- --outDir ../target/web-dist --emptyOutDir
	diff -r web/dist target/web-dist || { echo "web: dist is not what a build gives; run \`npm run build\` in web/"; exit 1; }
	$(CARGO) test $(WORKSPACE) --test suite --no-run
	cd web && SUPERHET=$(CURDIR)/target/debug/superhet $(AGAIN) npm run test:browser
else
web:
	@echo "web: skipped, there is no npm with Node 20.19, or 22.12 or later"
endif

web-browser:
	@if command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		timeout 300 sh -c 'apt-get -qq -o Acquire::http::Timeout=20 update; \
			apt-get install -y -o Acquire::http::Timeout=20 --no-install-recommends chromium-headless-shell' \
			|| echo "web: no browser is installed, as apt-get failed; its tests are skipped"; \
	else echo "web: no Chromium is installed, and only root can do it with apt-get; its tests are skipped"; fi

# What the runtime costs beside the limit, on one worker.
bench:
	$(CARGO) build --release --locked -p superhet-cli
	for m in 1 4; do target/release/superhet bench chain --kernels $$m --workers 1; done
	target/release/superhet bench overhead
