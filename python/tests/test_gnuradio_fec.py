"""Codes by GNU Radio's names, run by superhet."""

import os
import tempfile
import time
import unittest

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

import pmt  # noqa: E402
from gnuradio import blocks, digital, fec, gr  # noqa: E402


class Codes(unittest.TestCase):
    def through(self, encoder, decoder, bits=800, **settings):
        bits = np.random.default_rng(4).integers(0, 2, bits, np.uint8)
        tb, sink, coded = gr.top_block(), blocks.vector_sink_b(), blocks.vector_sink_b()
        encode = fec.extended_encoder(encoder, None, **settings)
        levels = digital.chunks_to_symbols_bf([-1, 1])
        tb.connect(blocks.vector_source_b(bits.tolist()), encode, levels)
        tb.connect(encode, coded)
        tb.connect(levels, fec.extended_decoder(decoder, None, **settings), sink)
        tb.run()
        self.assertEqual(sink.data(), bits.tolist())
        return len(coded.data())

    def test_bits_come_back(self):
        for mode, sent in ((fec.CC_TERMINATED, 1720), (fec.CC_TRUNCATED, 1600), (fec.CC_TAILBITING, 1600)):
            code = (80, 7, 2, [109, 79], 0)
            self.assertEqual(self.through(fec.cc_encoder_make(*code, mode), fec.cc_decoder.make(*code, -1, mode)), sent)
            for k, polys in ((3, [7, 5]), (9, [0o753, 0o561]), (7, [79, -109, 87])):
                code = (80, k, len(polys), polys, 0)
                through = self.through(fec.cc_encoder_make(*code, mode), fec.cc_decoder.make(*code, -1, mode))
                tail = k - 1 if mode == fec.CC_TERMINATED else 0
                self.assertEqual(through, 10 * len(polys) * (80 + tail))
        self.assertEqual(self.through(fec.repetition_encoder_make(80, 3), fec.repetition_decoder.make(80, 3)), 2400)
        self.assertEqual(self.through(fec.dummy_encoder_make(80), fec.dummy_decoder.make(80)), 800)

    def test_bits_come_back_through_polar_codes(self):
        frozen, zeros = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 18, 20], [0] * 16
        code = (32, 16, frozen)
        encoder = fec.polar_encoder.make(*code, zeros)
        self.assertEqual((encoder.get_input_size(), encoder.get_output_size(), encoder.rate()), (16, 32, 0.5))
        for decoder in (fec.polar_decoder_sc.make(*code, zeros), fec.polar_decoder_sc_list.make(4, *code, zeros)):
            self.assertEqual(self.through(encoder, decoder), 1600)
        systematic = (fec.polar_encoder_systematic.make(*code), fec.polar_decoder_sc_systematic.make(*code))
        self.assertEqual(self.through(*systematic), 1600)
        with self.assertRaisesRegex(ValueError, "bits that fill bytes"):
            fec.polar_encoder.make(16, 4, list(range(12)), [0] * 12, True)
        with self.assertRaisesRegex(ValueError, "frozen"):
            fec.polar_encoder.make(32, 16, frozen[1:], zeros[1:])

    def test_packed_bits_are_encoded_as_by_gnu_radio(self):
        import random

        random.seed(1)
        frozen = sorted(random.sample(range(64), 32))
        data = [random.randrange(256) for _ in range(8)]
        encoder = fec.polar_encoder.make(64, 32, frozen, [0] * 32, True)
        self.assertEqual((encoder.get_input_size(), encoder.get_output_size(), encoder.get_input_conversion()), (4, 8, "pack"))
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        tb.connect(blocks.vector_source_b(data), fec.encoder(encoder, 1, 1), sink)
        tb.run()
        self.assertEqual(sink.data(), [51, 29, 183, 192, 55, 202, 200, 96, 46, 214, 4, 183, 114, 174, 164, 72])

    def test_bits_come_back_through_parity_checks(self):
        # Two rows of five identities, the second turned: an array code of 20 bits, 11 of which are information.
        rows = [[5 * b + (i + a * b) % 5 + 1 for b in range(4)] for a in range(2) for i in range(5)]
        columns = [[row + 1 for row, ones in enumerate(rows) if column + 1 in ones] for column in range(20)]
        lines = [[20, 10], [2, 4], [2] * 20, [4] * 10, *columns, *rows]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "array.alist")
            with open(path, "w") as file:
                file.writelines(" ".join(map(str, line)) + "\n" for line in lines)
            matrix = fec.ldpc_H_matrix(path, 0)
            self.assertEqual((matrix.n(), matrix.k()), (20, 11))
            for encoder in (fec.ldpc_encoder.make(path), fec.ldpc_par_mtrx_encoder.make_H(matrix)):
                for decoder in (fec.ldpc_decoder.make(path), fec.ldpc_bit_flip_decoder.make(matrix.get_base_sptr())):
                    self.assertEqual(self.through(encoder, decoder, bits=880), 1600)

    def test_packets_become_longer_and_come_back(self):
        code, bits = (8, 7, 2, [109, 79], 0), [1, 0, 1, 1, 0, 0, 1, 0] * 2
        tag = gr.tag_t()
        tag.offset, tag.key, tag.value = 0, pmt.intern("packet_len"), pmt.from_long(16)
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        encode = fec.extended_tagged_encoder(fec.cc_encoder_make(*code, fec.CC_TERMINATED), "11", "packet_len")
        decoder = fec.cc_decoder.make(*code, -1, fec.CC_TERMINATED)
        decode = fec.extended_tagged_decoder(decoder, lentagname="packet_len")
        source = blocks.vector_source_b(bits, False, 1, [tag])
        tb.connect(source, encode, digital.chunks_to_symbols_bf([-1, 1]), decode, sink)
        tb.run()
        self.assertEqual(sink.data(), bits)
        self.assertEqual([pmt.to_python(tag.value) for tag in sink.tags()], [16])

    def test_messages_become_longer_and_come_back(self):
        tb, debug = gr.top_block(), blocks.message_debug()
        encode = fec.extended_async_encoder(fec.repetition_encoder_make(8, 3))
        strobe = blocks.message_strobe(pmt.cons(pmt.PMT_NIL, pmt.init_u8vector(2, [1, 0])), 10)
        tb.msg_connect(strobe, "strobe", encode, "in")
        tb.msg_connect(encode, "out", debug, "store")
        tb.start()
        deadline = time.monotonic() + 10
        while debug.num_messages() == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        tb.stop()
        tb.wait()
        self.assertEqual(pmt.u8vector_elements(pmt.cdr(debug.get_message(0))), [1, 1, 1, 0, 0, 0])

    def test_bytes_come_back_through_the_code_of_space(self):
        data = list(range(64))
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        symbols = digital.chunks_to_symbols_bf([-1, 1])
        tb.connect(blocks.vector_source_b(data), fec.encode_ccsds_27_bb(), symbols, fec.decode_ccsds_27_fb(), sink)
        tb.run()
        self.assertEqual(sink.data()[:64], [0, 0, 0, 0, *data[:60]])
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        tb.connect(blocks.vector_source_b([0xB2, 0xE5]), fec.encode_ccsds_27_bb(), sink)
        tb.run()
        self.assertEqual("".join(map(str, sink.data())), "11010001101011110110011111100001")

    def test_terminated_frames_are_padded_as_by_gnu_radio(self):
        bits = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1]
        for k, polys, wanted in (
            (7, [79, 109], "111000100101111110010101000110110000"),
            (5, [19, 29], "1110100000000101100000001011"),
            (4, [15, 11, 13], "1111100101100110100001100101100110101110000000"),
        ):
            code = (10, k, len(polys), polys, 0)
            encoder = fec.cc_encoder_make(*code, fec.CC_TERMINATED, True)
            self.assertEqual(encoder.get_output_size(), len(wanted))
            tb, sink = gr.top_block(), blocks.vector_sink_b()
            tb.connect(blocks.vector_source_b(bits), fec.encoder(encoder, 1, 1), sink)
            tb.run()
            self.assertEqual("".join(map(str, sink.data())), wanted)
            self.through(encoder, fec.cc_decoder.make(*code, -1, fec.CC_TERMINATED, True))

    def test_a_code_without_frames_goes_on_from_packet_to_packet_as_in_gnu_radio(self):
        sent = "1101011010001000", "00010110", "000101110010111011100100", "0101001111001110"
        wanted = (
            "11010111010100101010100100110011",
            "0001111110001001",
            "010001010100101011110100100110110011000011010001",
            "00111111011101101110100110110001",
        )
        tags, bits = [], [int(bit) for bit in "".join(sent)]
        for place, packet in enumerate(sent):
            tag = gr.tag_t()
            tag.offset, tag.key = sum(map(len, sent[:place])), pmt.intern("packet_len")
            tag.value = pmt.from_long(len(packet))
            tags.append(tag)
        code = (1024, 7, 2, [79, 109], 0)
        tb, coded, sink = gr.top_block(), blocks.vector_sink_b(), blocks.vector_sink_b()
        encode = fec.extended_tagged_encoder(fec.cc_encoder_make(*code, fec.CC_STREAMING), "11", "packet_len")
        decode = fec.extended_tagged_decoder(fec.cc_decoder.make(*code, -1, fec.CC_STREAMING), lentagname="packet_len")
        tb.connect(blocks.vector_source_b(bits, False, 1, tags), encode, digital.chunks_to_symbols_bf([-1, 1]), decode, sink)
        tb.connect(encode, coded)
        tb.run()
        self.assertEqual("".join(map(str, coded.data())), "".join(wanted))
        self.assertEqual([pmt.to_python(tag.value) for tag in coded.tags()], [32, 16, 48, 32])
        self.assertEqual(sink.data(), bits)
        self.assertEqual([pmt.to_python(tag.value) for tag in sink.tags()], [16, 8, 24, 16])

    def test_product_codes_are_those_of_gnu_radio(self):
        code = ([3], [43], 26, 6, 9, 3)
        encoder, decoder = fec.tpc_encoder_make(*code), fec.tpc_decoder.make(*code, 6, 1)
        self.assertEqual((encoder.get_input_size(), encoder.get_output_size(), encoder.rate()), (144, 288, 0.5))
        self.assertEqual((decoder.get_input_size(), decoder.get_output_size(), decoder.rate()), (288, 144, 0.5))
        self.assertEqual((decoder.get_input_conversion(), decoder.get_shift()), ("none", 0.0))
        tb, sink = gr.top_block(), blocks.vector_sink_b()
        bits = [n * n // 3 & 1 for n in range(144)]
        tb.connect(blocks.vector_source_b(bits), fec.encoder(encoder, 1, 1), sink)
        tb.run()
        wanted = 0x71C38E38E3471C71D38E38E1C71C71A38E38E8001C70E38E38D6DB6DB76DB8E35B6C71D
        self.assertEqual(int("".join(map(str, sink.data())), 2), wanted)
        self.assertEqual(self.through(encoder, decoder, 1440), 2880)
        with self.assertRaisesRegex(NotImplementedError, "one polynomial each"):
            fec.tpc_encoder.make([3, 5], *code[1:])

    def test_threads_are_the_runtime_s_own(self):
        code = fec.repetition_encoder_make(8, 3)
        for make in (fec.threaded_encoder, fec.capillary_threaded_encoder):
            tb, sink = gr.top_block(), blocks.vector_sink_b()
            tb.connect(blocks.vector_source_b([1, 0]), make([code, code], 1, 1), sink)
            tb.run()
            self.assertEqual(sink.data(), [1, 1, 1, 0, 0, 0])

    def test_what_puncturing_leaves_out_is_decoded(self):
        code = (80, 7, 2, [109, 79], 0)
        encoder, decoder = fec.cc_encoder_make(*code, fec.CC_TAILBITING), fec.cc_decoder.make(*code, -1, fec.CC_TAILBITING)
        self.assertEqual(self.through([encoder], [decoder], puncpat="1110"), 1200)

    def test_codes_that_are_not_there_say_which_are(self):
        with self.assertRaisesRegex(NotImplementedError, "k from 2 to 15"):
            fec.cc_encoder_make(80, 16, 2, [1, 2])
        with self.assertRaisesRegex(NotImplementedError, "as many polys"):
            fec.cc_encoder_make(80, 5, 3, [1, 2])
        self.assertEqual(fec.cc_encoder_make(80, 7, 2, [109, 79], 0, fec.CC_TERMINATED).get_output_size(), 172)


class Sizes(unittest.TestCase):
    """Numbers of GNU Radio 3.10.5."""

    def test_frames_become_shorter_and_not_longer_than_they_were_made(self):
        made = (
            (fec.cc_encoder_make(80, 7, 2, [79, 109], 0, fec.CC_TERMINATED), 2.0, (40, 92), (80, 172)),
            (fec.repetition_encoder_make(80, 3), 3.0, (40, 120), (80, 240)),
            (fec.dummy_decoder.make(80), 1.0, (40, 40), (80, 80)),
            (fec.cc_decoder.make(80, 7, 2, [79, 109], 0, -1, fec.CC_TERMINATED), 0.5, (92, 40), (172, 80)),
        )
        for coder, rate, short, longest in made:
            self.assertEqual(coder.rate(), rate)
            self.assertTrue(coder.set_frame_size(40))
            self.assertEqual((coder.get_input_size(), coder.get_output_size()), short)
            self.assertFalse(coder.set_frame_size(100))
            self.assertEqual((coder.get_input_size(), coder.get_output_size()), longest)
            self.assertEqual(coder.rate(), rate)

    def test_a_block_code_keeps_its_frames_and_its_rate_is_that_of_information(self):
        encoder = fec.polar_encoder.make(8, 4, [0, 1, 2, 4], [0, 0, 0, 0], False)
        decoder = fec.polar_decoder_sc.make(8, 4, [0, 1, 2, 4], [0, 0, 0, 0])
        self.assertEqual((encoder.rate(), decoder.rate()), (0.5, 0.5))
        self.assertFalse(encoder.set_frame_size(2))
        self.assertEqual(encoder.get_input_size(), 4)

    def test_functions_ask_a_coder(self):
        encoder, decoder = fec.cc_encoder_make(80, 7, 2, [79, 109]), fec.cc_decoder.make(80, 7, 2, [79, 109])
        asked = [fec.get_encoder_input_size, fec.get_encoder_output_size, fec.get_encoder_input_conversion, fec.get_encoder_output_conversion]
        self.assertEqual([ask(encoder) for ask in asked], [80, 160, "none", "none"])
        asked = [fec.get_decoder_input_size, fec.get_decoder_output_size, fec.get_decoder_input_conversion, fec.get_decoder_output_conversion]
        self.assertEqual([ask(decoder) for ask in asked], [160, 80, "uchar", "none"])
        self.assertEqual((fec.get_decoder_input_item_size(decoder), fec.get_shift(decoder), fec.get_history(decoder)), (1, 128.0, 12))

    def test_a_packet_of_several_blocks_is_encoded_as_a_whole(self):
        code = fec.polar_encoder.make(8, 4, [0, 1, 2, 4], [0, 0, 0, 0], False)
        found = []
        for bits in ([1, 0, 1, 1], [0, 1, 1, 0], [1, 0, 1, 1, 0, 1, 1, 0]):
            tb, sink = gr.top_block(), blocks.vector_sink_b()
            packets = blocks.stream_to_tagged_stream(gr.sizeof_char, 1, len(bits), "n")
            tb.connect(blocks.vector_source_b(bits), packets, fec.tagged_encoder(code, 1, 1, "n", 100), sink)
            tb.run()
            found.append(list(sink.data()))
        self.assertEqual(found[2], found[0] + found[1])


class Polar(unittest.TestCase):
    def test_codes_are_tried_out_without_a_flowgraph(self):
        from gnuradio.fec.polar import channel_construction as construction
        from gnuradio.fec.polar.decoder import PolarDecoder
        from gnuradio.fec.polar.encoder import PolarEncoder

        self.assertEqual(construction.frozen_bit_positions(16, 8, 0.0).tolist(), [0, 1, 2, 3, 4, 5, 6, 8])
        bits, frozen = [1, 0, 1, 1], np.array([0, 1, 2, 4])
        encoder, decoder = PolarEncoder(8, 4, frozen), PolarDecoder(8, 4, frozen)
        # What GNU Radio 3.10.5 gives.
        self.assertEqual(encoder.encode(bits).tolist(), [1, 0, 1, 0, 0, 1, 0, 1])
        self.assertEqual(encoder.encode_systematic(bits).tolist(), [0, 0, 1, 1, 0, 0, 1, 1])
        word = encoder.encode(bits)
        self.assertEqual(decoder.decode(word).tolist(), bits)
        for place in range(8):
            turned = word.copy()
            turned[place] ^= 1
            self.assertEqual(decoder.decode(turned).tolist(), bits)
        self.assertEqual(decoder.decode_systematic(encoder.encode_systematic(bits)).tolist(), bits)
        with self.assertRaisesRegex(ValueError, "expected 4 bits"):
            encoder.encode([1])
        with self.assertRaisesRegex(ValueError, "4 frozen places"):
            PolarEncoder(8, 4, [1])

    def test_matrices_and_channels(self):
        from gnuradio.fec.polar import channel_construction_bec, helper_functions

        self.assertEqual(helper_functions.get_Gn(4).tolist(), [[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
        self.assertAlmostEqual(helper_functions.mutual_information(helper_functions.bsc_channel(0.1)), 0.5310044064)
        self.assertAlmostEqual(helper_functions.bhattacharyya_parameter(helper_functions.bsc_channel(0.1)), 0.6)
        self.assertEqual(helper_functions.pack_byte([1, 0, 1, 0, 0, 0, 0, 0]), 160)
        capacities = channel_construction_bec.calculate_bec_channel_capacities(0.3, 8)
        np.testing.assert_allclose(capacities[:3], [0.057648, 0.42255, 0.54745], rtol=1e-4)
        self.assertAlmostEqual(float(capacities.mean()), 0.7)


if __name__ == "__main__":
    unittest.main()
