# The relay alone: one program, the shared libraries it loads, certificate authorities. No shell, no package manager,
# not root. Build it with: docker build -t relay:local .

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4-openssl-dev libsqlite3-dev libssl-dev tzdata \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# The manifest names the test targets too, and does not load without their folders.
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product relay \
    && install -D -m 0755 "$(swift build -c release --static-swift-stdlib --show-bin-path)/relay" \
        /image/usr/local/bin/relay \
    && strip /image/usr/local/bin/relay

# What the program needs around it, file by file:
# - every library that the loader would load, and the loader itself (ldd names both), under the names it looks for;
# - libgcc_s, which glibc loads by name when a thread ends early;
# - nothing for name resolution: glibc has its DNS and files modules inside since 2.34, nsswitch.conf picks them;
# - the authorities where Debian's libcurl and OpenSSL look for them;
# - UTC, and a user by number, so that nothing has to look one up.
RUN set -eu; \
    libraries="$(ldd /image/usr/local/bin/relay | grep -o '/[^ ]*')"; \
    gcc="$(dirname "$(ldd /image/usr/local/bin/relay | grep -o '/[^ ]*/libc\.so\.6')")/libgcc_s.so.1"; \
    for library in $libraries "$gcc"; do \
        install -D -m 0755 "$library" "/image$library"; \
    done; \
    install -D -m 0644 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt; \
    install -D -m 0644 /usr/share/zoneinfo/Etc/UTC /image/usr/share/zoneinfo/UTC; \
    install -D -m 0644 /usr/share/zoneinfo/Etc/UTC /image/etc/localtime; \
    echo 'relay:x:65532:65532:relay:/data:/nonexistent' > /image/etc/passwd; \
    echo 'relay:x:65532:' > /image/etc/group; \
    printf '%s\n' 'passwd: files' 'group: files' 'hosts: files dns' > /image/etc/nsswitch.conf; \
    install -d -m 0700 /data

FROM scratch
COPY --from=build /image/ /
# A new named volume takes over the owner and the mode of this directory.
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
# Inside a container the loopback is unreachable from outside, so the relay listens on all of the container's addresses;
# publish the port on the host's loopback only (-p 127.0.0.1:8080:8080). A crash must not look for a debugger that the
# image does not have.
ENV DB_PATH=/data/relay.sqlite \
    BACKUP_DIR=/data/backups \
    LISTEN_ADDR=0.0.0.0:8080 \
    SWIFT_BACKTRACE=enable=no
VOLUME /data
EXPOSE 8080
# The program asks itself: there is no shell here, and no curl.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["/usr/local/bin/relay", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/relay"]
CMD ["serve"]
