"""What senders and receivers of packets agree on: `digital.packet_utils`."""

# Bits before a packet, known to correlate with nothing but themselves.
default_access_code = "1010110011011101101001001110001011110010100011000010000011111100"
default_access_code_binary = int(default_access_code, 2).to_bytes(8, "big")
