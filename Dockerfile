# The command in an image: `docker build -t superhet .`, then
# `docker run --rm -v "$PWD:/data" superhet info rec.cu8`. Files are read and written in /data, as the user that is given with
# `--user`, or else as one without rights.
FROM rust:1.95-bookworm AS build
WORKDIR /source
COPY . .
RUN CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 cargo build --release --locked -p superhet-cli --features cuda,opencl

FROM debian:bookworm-slim
COPY --from=build /source/target/release/superhet /usr/local/bin/superhet
COPY --from=build /source/LICENSE-APACHE /source/LICENSE-MIT /source/crates/terminal/assets/LICENSE-DejaVu.txt /usr/share/doc/superhet/
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["superhet"]
CMD ["--help"]
