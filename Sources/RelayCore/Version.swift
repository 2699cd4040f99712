/// The release of the relay, as `--version` and the first log line give it.
package let relayVersion = "0.1.0"
