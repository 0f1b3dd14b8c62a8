"""Flowgraphs of GNU Radio Companion in Python: `superhet.gnuradio.companion`."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import superhet.gnuradio

superhet.gnuradio.install(shadow=True)

from superhet.gnuradio import companion  # noqa: E402
from superhet.gnuradio.companion.palette import palette, parse  # noqa: E402

HEAD = "options: {parameters: {id: flowgraph, generate_options: no_gui}}\nblocks:\n"
TAIL = "metadata: {file_format: 1}\n"
SOURCE = "- {name: source, id: blocks_vector_source_x, parameters: {type: float, vector: '(1, 2, 3)', repeat: 'False', vlen: '1'}}\n"
SINK = "- {name: sink, id: blocks_vector_sink_x, parameters: {type: float, vlen: '1'}}\n"


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, blocks, connections, name="flowgraph.grc", head=HEAD):
        path = Path(self.folder.name) / name
        links = "".join(f"- [{', '.join(repr(end) for end in link.split())}]\n" for link in connections)
        path.write_text(head + blocks + ("connections:\n" + links if links else "connections: []\n") + TAIL)
        return path

    def made(self, blocks, connections, sets=None):
        from superhet.gnuradio.companion.flowgraph import build

        return build(companion.read(self.write(blocks, connections)), sets or {})

    def data(self, blocks, connections, sets=None, sink="sink"):
        made = self.made(blocks, connections, sets)
        made.top.run()
        return made.blocks[sink].data()

    def mistakes(self, blocks, connections):
        with self.assertRaises(companion.FlowgraphError) as caught:
            self.made(blocks, connections)
        return str(caught.exception)


class Values(Base):
    def test_lambdas_texts_and_imports_are_pythons(self):
        blocks = (
            "- {name: imports, id: import, parameters: {imports: 'table = [0, 1, 2]; table[0] = -1'}}\n"
            "- {name: twice, id: variable, parameters: {value: 'lambda x: 2 * x'}}\n"
            "- {name: gain, id: variable, parameters: {value: 'float(f\"{twice(3)}\") + table[0]'}}\n"
            "- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: gain, vlen: '1'}}\n"
        )
        self.assertEqual(self.data(blocks + SOURCE + SINK, ["source 0 amp 0", "amp 0 sink 0"]), [5, 10, 15])

    def test_variables_come_in_any_order_and_can_be_set(self):
        blocks = (
            "- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: b, vlen: '1'}}\n"
            "- {name: b, id: variable, parameters: {value: a + 1}}\n"
            "- {name: a, id: variable_qtgui_range, parameters: {value: '1'}}\n"
        )
        links = ["source 0 amp 0", "amp 0 sink 0"]
        self.assertEqual(self.data(blocks + SOURCE + SINK, links), [2, 4, 6])
        self.assertEqual(self.data(blocks + SOURCE + SINK, links, {"a": "4"}), [5, 10, 15])
        self.assertEqual(self.data(blocks + SOURCE + SINK, links, {"amp.const": "a * 10"}), [10, 20, 30])

    def test_variables_that_need_each_other_are_named(self):
        blocks = "- {name: a, id: variable, parameters: {value: b}}\n- {name: b, id: variable, parameters: {value: a}}\n"
        self.assertIn("the variables a, b need each other", self.mistakes(blocks, []))

    def test_objects_of_codes_constellations_and_lists_of_them(self):
        blocks = (
            "- {name: e, id: variable_repetition_encoder_def, parameters: {ndim: '2', dim1: '2', dim2: '3', framebits: '8', rep: '3'}}\n"
            "- {name: c, id: variable_constellation, parameters: {type: qpsk}}\n"
            "- {name: g, id: variable_adaptive_algorithm, parameters: {type: cma, cons: c, step_size: '.001', modulus: '4'}}\n"
            "- {name: s, id: variable_struct, parameters: {field0: first, value0: '1 + 1', field1: '', value1: '0'}}\n"
            "- {name: t, id: variable_tag_object, parameters: {offset: '3', key: 'pmt.intern(\"k\")', value: pmt.PMT_T, src: pmt.PMT_F}}\n"
            "- {name: h, id: variable_header_format_default, parameters: {access_code: '0', threshold: '0', bps: '1'}}\n"
        )
        scope = self.made(blocks + SOURCE + SINK, ["source 0 sink 0"]).scope
        self.assertEqual([len(scope["e"]), len(scope["e"][0])], [2, 3])
        self.assertEqual(scope["c"].arity(), 4)
        self.assertEqual(scope["g"].settings["algorithm"], "cma")
        self.assertEqual(scope["s"].first, 2)
        self.assertEqual(scope["t"].offset, 3)
        self.assertTrue(scope["h"].header_nbits() > 0)

    def test_every_mistake_is_told_with_its_line(self):
        blocks = (
            "- {name: a, id: variable, parameters: {value: 1 +}}\n- {name: b, id: variable, parameters: {value: a}}\n"
            "- {name: c, id: variable, parameters: {value: nobody}}\n"
        )
        told = self.mistakes(blocks, [])
        self.assertIn(":3: variable a: SyntaxError", told)
        self.assertIn(":5: variable c: NameError", told)
        self.assertNotIn("variable b", told)
        told = self.mistakes(SOURCE + "- {name: x, id: nobodys_block, parameters: {}}\n", [])
        self.assertIn("block x: there is no block nobodys_block", told)
        told = self.mistakes("- {name: x, id: blocks_nul_sink, parameters: {}}\n", [])
        self.assertIn("did you mean blocks_null_sink?", told)


class Blocks(Base):
    def test_what_is_switched_off_bypassed_or_virtual_is_resolved(self):
        blocks = (
            "- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: '2', vlen: '1'}, states: {state: bypassed}}\n"
            "- {name: add, id: blocks_add_const_vxx, parameters: {type: float, const: '7', vlen: '1'}, states: {state: disabled}}\n"
            "- {name: out, id: virtual_sink, parameters: {stream_id: x}}\n"
            "- {name: in, id: virtual_source, parameters: {stream_id: x}}\n"
            "- {name: scope, id: qtgui_time_sink_x, parameters: {type: float, size: '64', srate: '1', name: '\"\"', nconnections: '1'}}\n"
        )
        links = ["source 0 amp 0", "amp 0 out 0", "in 0 sink 0", "in 0 scope 0", "source 0 add 0"]
        self.assertEqual(self.data(blocks + SOURCE + SINK, links), [1, 2, 3])

    def test_a_file_beside_the_flowgraph_makes_a_block(self):
        head = "options: {parameters: {id: scaled, generate_options: hb}}\nblocks:\n"
        blocks = (
            "- {name: factor, id: parameter, parameters: {value: '1', type: eng_float}}\n"
            "- {name: amp, id: blocks_multiply_const_vxx, parameters: {type: float, const: factor, vlen: '1'}}\n"
            "- {name: pad_source_0, id: pad_source, parameters: {label: in, type: float, vlen: '1', num_streams: '1'}}\n"
            "- {name: pad_sink_0, id: pad_sink, parameters: {label: out, type: float, vlen: '1', num_streams: '1'}}\n"
        )
        self.write(blocks, ["pad_source_0 0 amp 0", "amp 0 pad_sink_0 0"], "anything.grc", head)
        with self.assertRaisesRegex(companion.FlowgraphError, "makes a block of others"):
            from superhet.gnuradio.companion.flowgraph import build

            build(companion.read(Path(self.folder.name) / "anything.grc"), {})
        used = "- {name: mine, id: scaled, parameters: {factor: '2 * 5'}}\n"
        self.assertEqual(self.data(used + SOURCE + SINK, ["source 0 mine 0", "mine 0 sink 0"]), [10, 20, 30])

    def test_messages_go_through_blocks_of_others(self):
        head = "options: {parameters: {id: handed, generate_options: hb}}\nblocks:\n"
        blocks = (
            "- {name: copy, id: blocks_message_strobe, parameters: {msg: 'pmt.intern(\"x\")', period: '10'}}\n"
            "- {name: pad_sink_0, id: pad_sink, parameters: {label: told, type: message, vlen: '1', num_streams: '1'}}\n"
        )
        self.write(blocks, ["copy strobe pad_sink_0 in"], "handed.grc", head)
        used = "- {name: mine, id: handed, parameters: {}}\n- {name: heard, id: blocks_message_debug, parameters: {en_uvec: 'True'}}\n"
        made = self.made(used, ["mine told heard store"])
        made.top.start()
        for _ in range(400):
            if made.blocks["heard"].num_messages() > 1:
                break
            import time

            time.sleep(0.01)
        made.top.stop()
        made.top.wait()
        self.assertGreater(made.blocks["heard"].num_messages(), 1)

    def test_a_bus_is_several_connections(self):
        blocks = (
            "- {name: two, id: blocks_deinterleave, parameters: {type: float, num_streams: '2', blocksize: '1', vlen: '1'}, "
            "states: {bus_source: true, bus_structure: '[[0, 1]]', state: enabled}}\n"
            "- {name: one, id: blocks_interleave, parameters: {type: float, num_streams: '2', blocksize: '1', vlen: '1'}, "
            "states: {bus_sink: true, bus_structure: '[[1, 0]]', state: enabled}}\n"
        )
        source = SOURCE.replace("(1, 2, 3)", "(1, 2, 3, 4)")
        self.assertEqual(self.data(blocks + source + SINK, ["source 0 two 0", "two bus0 one bus0", "one 0 sink 0"]), [2, 1, 4, 3])

    def test_check_starts_nothing(self):
        blocks = (
            "- name: own\n  id: epy_block\n  parameters:\n    _source_code: |\n"
            "      import numpy\n      from gnuradio import gr\n      class blk(gr.sync_block):\n"
            "          def __init__(self):\n              gr.sync_block.__init__(self, 'own', [numpy.float32], [numpy.float32])\n"
            "          def start(self):\n              open('started', 'w')\n              return True\n"
            "          def work(self, input_items, output_items):\n              output_items[0][:] = input_items[0]\n"
            "              return len(output_items[0])\n"
        )
        path = self.write(blocks + SOURCE + SINK, ["source 0 own 0", "own 0 sink 0"])
        command = [sys.executable, "-m", "superhet.gnuradio", str(path)]
        done = subprocess.run([*command, "--check"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("3 blocks, no mistakes", done.stdout)
        self.assertFalse((Path(self.folder.name) / "started").exists())
        self.assertEqual(subprocess.run(command, capture_output=True, timeout=120).returncode, 0)
        self.assertTrue((Path(self.folder.name) / "started").exists())

    def test_a_flowgraph_of_gnu_radio_3_7_runs(self):
        def block(key, name, **params):
            given = "".join(f"<param><key>{key}</key><value>{value}</value></param>" for key, value in params.items())
            return f"<block><key>{key}</key><param><key>id</key><value>{name}</value></param>{given}</block>"

        text = "<?xml version='1.0'?>\n<flow_graph>" + block("options", "old", generate_options="no_gui")
        text += block("blocks_vector_source_x", "source", type="float", vector="(1, 2)", repeat="False", vlen="1")
        text += block("blocks_file_sink", "sink", type="float", file="out.f32", vlen="1", unbuffered="False", append="False")
        text += "<connection><source_block_id>source</source_block_id><sink_block_id>sink</sink_block_id>"
        text += "<source_key>0</source_key><sink_key>0</sink_key></connection></flow_graph>"
        path = Path(self.folder.name) / "old.grc"
        path.write_text(text)
        done = subprocess.run([sys.executable, "-m", "superhet.gnuradio", str(path)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(np.fromfile(path.parent / "out.f32", "f4").tolist(), [1, 2])


class Palette(unittest.TestCase):
    def test_a_call_follows_from_the_values_of_parameters(self):
        text = "a_b\tkind\tkind:word=one\tn=3\tmode:word=x\n\t$mode.0\tx=m.X\ty=m.Y\n\tone\tm.one($n, $mode.0)\tset_n($n)\n\t*\tm.all($n)\n"
        entry = parse(text)["a_b"]
        self.assertEqual(entry.call({}).make, "m.one(p__n, m.X)")
        self.assertEqual(entry.call({"mode": "y"}).make, "m.one(p__n, m.Y)")
        self.assertEqual(entry.call({"kind": "two"}).make, "m.all(p__n)")
        with self.assertRaisesRegex(ValueError, "mode: expected one of x, y, got z"):
            entry.call({"mode": "z"})

    def test_a_parameter_may_be_several_arguments(self):
        from superhet.gnuradio.companion.flowgraph import build

        machine = "- {name: code, id: trellis_encoder_xx, parameters: {type: bb, fsm_args: '1, 2, [5, 7, 1]', init_state: '0'}}\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "code.grc"
            path.write_text(HEAD + machine + "connections: []\n" + TAIL)
            self.assertEqual(build(companion.read(path), {}).blocks["code"].FSM().S(), 4)

    def test_every_call_of_the_palette_can_be_read(self):
        self.assertGreater(len(palette()), 450)
        for entry in palette().values():
            for call in entry.calls:
                values = {name: value for name, value in zip(entry.by, call.when) if value != "*"}
                compile(entry.call(values).make, entry.id, "eval")


if __name__ == "__main__":
    unittest.main()
