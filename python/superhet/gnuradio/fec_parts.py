"""The blocks around an encoder or a decoder: the parts of `gnuradio.fec` that a table cannot say."""

from __future__ import annotations

from typing import Any

from ._gr.constants import sizeof_char, sizeof_float
from ._gr.signature import io_signature
from .elements import hier_block2
from .fec_codes import CODES, packed_encoder
from .namespaces import module
from .table import block_class


def _only(name: str, objects: Any) -> Any:
    """The object, which may lie in lists of one; several would be for threads, which the runtime plans itself."""
    while isinstance(objects, (list, tuple)):
        if not objects:
            raise ValueError(f"fec.{name}: expected an object of a code, got an empty list")
        objects = objects[0]
    return objects


def _puncturing(pattern: str | None) -> tuple[int, int] | None:
    """The length and the bits of a pattern that leaves anything out."""
    if pattern is None or "0" not in pattern:
        return None
    return len(pattern), int(pattern, 2)


def _soft_bytes(decoder: Any) -> list[Any]:
    """The blocks that convert soft symbols of about ±1 to bytes, for decoders that take bytes."""
    if decoder.get_input_conversion() != "uchar":
        return []
    blocks = module("blocks")
    return [blocks.multiply_const_ff(48.0), blocks.add_const_ff(decoder.get_shift()), blocks.float_to_uchar()]


def _tag(name: str, lentagname: str | None, puncpat: str | None) -> str | None:
    """The key of the tag with the length of a packet, where there is one; puncturing would make it wrong."""
    if lentagname is None or lentagname.lower() == "none":
        return None
    if _puncturing(puncpat) is not None:
        raise NotImplementedError(f"fec.{name}: puncpat is for streams without packets: lentagname = None")
    return lentagname


class _packed_encoder(hier_block2):
    """An encoder of a code whose bits are packed."""

    def __init__(self, coder: packed_encoder) -> None:
        super().__init__("fec_encoder", io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_char))
        blocks, msb_first = module("blocks"), 0
        inside = encoder(coder.bits, sizeof_char, sizeof_char)
        self.connect(self, blocks.packed_to_unpacked_bb(1, msb_first), inside, blocks.unpacked_to_packed_bb(1, msb_first), self)


def encoder(my_encoder: Any, input_item_size: int, output_item_size: int) -> Any:
    """An encoder of a stream of frames."""
    if isinstance(my_encoder, packed_encoder):
        return _packed_encoder(my_encoder)
    return block_class("fec.encoder")(my_encoder, input_item_size, output_item_size)  # type: ignore[misc]


class extended_encoder(hier_block2):
    """An encoder, and puncturing behind it as `puncpat` says, '1110'; `threading` is taken, and changes nothing."""

    def __init__(self, encoder_obj_list: Any, threading: str | None = None, puncpat: str | None = None) -> None:
        super().__init__("extended_encoder", io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_char))
        fec, self.puncpat = module("fec"), puncpat
        coder = _only("extended_encoder", encoder_obj_list)
        # Its bits are one a byte on both sides.
        coder = coder.bits if isinstance(coder, packed_encoder) else coder
        self.blocks = [fec.encoder(coder, sizeof_char, sizeof_char)]
        punctured = _puncturing(puncpat)
        if punctured is not None:
            self.blocks.append(fec.puncture_bb(*punctured, 0))
        self.connect(self, *self.blocks, self)


class extended_decoder(hier_block2):
    """A decoder and the blocks before it: they convert soft symbols of about ±1 to bytes, and fill in the bits that
    `puncpat` left out.

    `threading`, `ann`, `integration_period`, `flush` and `rotator` are taken, and change nothing.

    Raises:
        NotImplementedError: puncturing of a code whose decoder takes floats.
    """

    def __init__(
        self,
        decoder_obj_list: Any,
        threading: str | None = None,
        ann: Any = None,
        puncpat: str | None = "11",
        integration_period: float = 10000,
        flush: Any = None,
        rotator: Any = None,
    ) -> None:
        super().__init__("extended_decoder", io_signature(1, 1, sizeof_float), io_signature(1, 1, sizeof_char))
        fec, self.puncpat = module("fec"), puncpat
        decoder = _only("extended_decoder", decoder_obj_list)
        self.blocks, in_bytes = _soft_bytes(decoder), decoder.get_input_conversion() == "uchar"
        punctured = _puncturing(puncpat)
        if punctured is not None:
            if not in_bytes:
                raise NotImplementedError("fec.extended_decoder: puncpat is for decoders that take bytes")
            self.blocks.append(fec.depuncture_bb(*punctured, 0))
        self.blocks.append(fec.decoder(decoder, decoder.get_input_item_size(), sizeof_char))
        self.connect(self, *self.blocks, self)


class extended_tagged_encoder(hier_block2):
    """An encoder of packets, whose lengths the tag `lentagname` says; None: of a stream, and puncturing behind it.

    Raises:
        NotImplementedError: puncturing of packets.
    """

    def __init__(
        self, encoder_obj_list: Any, puncpat: str | None = None, lentagname: str | None = None, mtu: int = 1500
    ) -> None:
        super().__init__("extended_tagged_encoder", io_signature(1, 1, sizeof_char), io_signature(1, 1, sizeof_char))
        fec, self.puncpat = module("fec"), puncpat
        encoder, tag = _only("extended_tagged_encoder", encoder_obj_list), _tag("extended_tagged_encoder", lentagname, puncpat)
        if tag is None:
            self.blocks = [extended_encoder(encoder, None, puncpat)]
        else:
            self.blocks = [fec.tagged_encoder(encoder, sizeof_char, sizeof_char, tag, mtu)]
        self.connect(self, *self.blocks, self)


class extended_tagged_decoder(hier_block2):
    """A decoder of packets of soft symbols of about ±1, whose lengths the tag `lentagname` says; None: of a stream.

    `ann`, `integration_period`, `flush` and `rotator` are taken, and change nothing.

    Raises:
        NotImplementedError: puncturing of packets, or of a code whose decoder takes floats.
    """

    def __init__(
        self,
        decoder_obj_list: Any,
        ann: Any = None,
        puncpat: str | None = "11",
        integration_period: float = 10000,
        flush: Any = None,
        rotator: Any = None,
        lentagname: str | None = None,
        mtu: int = 1500,
    ) -> None:
        super().__init__("extended_tagged_decoder", io_signature(1, 1, sizeof_float), io_signature(1, 1, sizeof_char))
        fec, self.puncpat = module("fec"), puncpat
        decoder, tag = _only("extended_tagged_decoder", decoder_obj_list), _tag("extended_tagged_decoder", lentagname, puncpat)
        if tag is None:
            self.blocks: list[Any] = [extended_decoder(decoder, None, ann, puncpat)]
        else:
            last = fec.tagged_decoder(decoder, decoder.get_input_item_size(), sizeof_char, tag, mtu)
            self.blocks = [*_soft_bytes(decoder), last]
        self.connect(self, *self.blocks, self)


class extended_async_encoder(hier_block2):
    """An encoder of messages, with a bit in each byte.

    Raises:
        NotImplementedError: puncturing.
    """

    def __init__(self, encoder_obj_list: Any, puncpat: str | None = None) -> None:
        super().__init__("extended_async_encoder", io_signature(0, 0, 0), io_signature(0, 0, 0))
        if _puncturing(puncpat) is not None:
            raise NotImplementedError("fec.extended_async_encoder: puncpat is for streams, not for messages")
        self.puncpat = puncpat
        self.blocks = [module("fec").async_encoder(_only("extended_async_encoder", encoder_obj_list))]
        self.message_port_register_hier_in("in")
        self.message_port_register_hier_out("out")
        self.msg_connect(self, "in", self.blocks[0], "in")
        self.msg_connect(self.blocks[0], "out", self, "out")


def threaded_encoder(encoder_list_0: Any, input_size: int, output_size: int) -> Any:
    """An encoder: the runtime plans threads itself."""
    return module("fec").encoder(_only("threaded_encoder", encoder_list_0), input_size, output_size)


def threaded_decoder(decoder_list_0: Any, input_size: int, output_size: int) -> Any:
    """A decoder: the runtime plans threads itself."""
    return module("fec").decoder(_only("threaded_decoder", decoder_list_0), input_size, output_size)


def capillary_threaded_encoder(encoder_list_0: Any, input_size: int = sizeof_char, output_size: int = sizeof_char) -> Any:
    """The same as `threaded_encoder`."""
    return threaded_encoder(encoder_list_0, input_size, output_size)


capillary_threaded_decoder = threaded_decoder


class _remembers:
    """Settings of a flowgraph for measurements: what is set can be asked for, and counts for one that is made with it."""

    _settings: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        verb, _, what = name.partition("_")
        settings = self.__dict__.get("_settings", {})
        if verb not in ("get", "set") or what not in settings:
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return (lambda: settings[what]) if verb == "get" else lambda value: settings.update({what: value})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(f"{verb}_{what}" for verb in ("get", "set") for what in self._settings)]


class fec_test(_remembers, hier_block2):
    """Bytes through an encoder, BPSK, noise and a decoder: the first output has what was decoded, the second what came in.

    `esno` is the energy of a symbol over the density of noise in dB. Symbols run at `samp_rate` at most.
    """

    def __init__(
        self,
        generic_encoder: Any = 0,
        generic_decoder: Any = 0,
        esno: float = 0,
        samp_rate: float = 3200000,
        threading: Any = "capillary",
        puncpat: str = "11",
        seed: int = 0,
    ) -> None:
        signature = io_signature(2, 2, sizeof_char)
        super().__init__("fec_test", io_signature(1, 1, sizeof_char), signature)
        self._settings = {
            "generic_encoder": generic_encoder,
            "generic_decoder": generic_decoder,
            "esno": esno,
            "samp_rate": samp_rate,
            "threading": threading,
            "puncpat": puncpat,
        }
        blocks, analog, channels = module("blocks"), module("analog"), module("fec")
        noise = analog.noise_source_f(analog.GR_GAUSSIAN, 10 ** (-esno / 20) / 2**0.5, seed)
        add = blocks.add_ff()
        self.connect(
            self,
            blocks.packed_to_unpacked_bb(1, 0),
            channels.extended_encoder(generic_encoder, threading, puncpat),
            blocks.throttle(sizeof_char, samp_rate, True),
            blocks.char_to_float(1, 0.5),
            blocks.add_const_ff(-1),
            add,
            channels.extended_decoder(generic_decoder, threading, None, puncpat),
            blocks.unpacked_to_packed_bb(1, 0),
            (self, 0),
        )
        self.connect(noise, (add, 1))
        self.connect(self, blocks.copy(sizeof_char), (self, 1))


class bercurve_generator(_remembers, hier_block2):
    """A `fec_test` of random bytes for each of `esno`, in dB: two outputs each, for a measurement of errors."""

    def __init__(
        self,
        encoder_list: Any,
        decoder_list: Any,
        esno: Any = (0.0, 0.5, 1.0),
        samp_rate: float = 3200000,
        threading: Any = "capillary",
        puncpat: str = "11",
        seed: int = 0,
    ) -> None:
        values = [float(one) for one in esno]
        super().__init__("ber_curve_gen", io_signature(0, 0, 1), io_signature(2 * len(values), 2 * len(values), sizeof_char))
        self.esno = values
        self._settings = {
            "encoder_list": encoder_list,
            "decoder_list": decoder_list,
            "esno": esno,
            "samp_rate": samp_rate,
            "puncpat": puncpat,
        }
        source = module("analog").random_uniform_source_b(0, 256, seed)
        for place, value in enumerate(values):
            encoder, decoder = (_of_list(objects, place) for objects in (encoder_list, decoder_list))
            test = fec_test(encoder, decoder, value, samp_rate, threading, puncpat, seed + place)
            self.connect(source, test)
            for side in (0, 1):
                self.connect((test, side), (self, 2 * place + side))


def _of_list(objects: Any, place: int) -> Any:
    """The object for a place of a list, or one for all."""
    return objects[place] if isinstance(objects, (list, tuple)) else objects


const_lut = [2]
"""Bits of a symbol, by the number of the constellation."""

specinvert_lut = [[0, 2, 1, 3]]
"""The symbols of a mirrored spectrum, likewise."""


def bitreverse(mint: int) -> int:
    """A number with its bits in the other order, its highest one first."""
    return int(format(int(mint), "b")[::-1], 2)


def bitflip(mint: int, bitflip_lut: Any, index: int, csize: int) -> int:
    """The low `csize` bits of a number, the symbols of constellation `index` replaced by those of a list."""
    width = const_lut[index]
    flipped = 0
    for at in range(0, csize, width):
        flipped |= bitflip_lut[mint >> at & (1 << width) - 1] << at
    return flipped


def read_bitlist(bitlist: Any) -> int:
    """The number whose bits a list or text has, the highest first; what is not 1 counts as 0."""
    return sum(1 << place for place, bit in enumerate(reversed(bitlist)) if int(bit) == 1)


BLOCKS: dict[str, Any] = CODES | {
    name: value
    for name, value in dict(globals()).items()
    if name.startswith(("extended_", "threaded_", "capillary_", "fec_test", "bercurve_", "bit", "const_lut", "specinvert", "read_bit", "encoder"))
}
"""What the module `fec` has besides the table, by name."""
