// A plausible graph and its changing metrics, for the mock server.

const number = (name, value, unit, min, max, doc, live = true) => ({ name, type: 'number', value, unit, min, max, live, doc });

const C32 = { name: 'out', item: 'C32', message: false };
const input = (item, name = 'in') => ({ name, item, message: item === 'message' });
const output = (item, name = 'out') => ({ name, item, message: item === 'message' });

export const RATE_HZ = 2e6;
export const CENTER_HZ = 1090e6;

export function graph() {
  const blocks = [
    {
      name: 'radio',
      kind: 'radio',
      region: 0,
      inputs: [],
      outputs: [C32],
      doc: 'Samples of a radio.',
      parameters: [
        number('frequency_hz', CENTER_HZ, 'Hz', 24e6, 1766e6, 'Frequency that the radio is tuned to.'),
        number('gain_db', 32.8, 'dB', 0, 49.6, 'Gain of the tuner.'),
        { name: 'agc', type: 'switch', value: false, live: true, doc: 'Lets the radio choose its gain.' },
        { name: 'uri', type: 'text', value: 'rtl_tcp://127.0.0.1:1234', live: false, doc: 'Where the radio is.' },
      ],
    },
    {
      name: 'channel',
      kind: 'adsb_channel',
      region: 0,
      inputs: [input('C32')],
      outputs: [output('f32')],
      doc: 'Magnitude of the channel.',
      parameters: [number('rate_hz', RATE_HZ, 'Hz', 2e6, 20e6, 'Rate of the samples.', false)],
    },
    {
      name: 'preambles',
      kind: 'adsb_preambles',
      region: 1,
      inputs: [input('f32')],
      outputs: [output('u8')],
      doc: 'Marks where messages begin.',
      parameters: [number('threshold_db', 6, 'dB', 0, 30, 'Level over the noise that a preamble has.')],
    },
    {
      name: 'demod',
      kind: 'adsb_channel_demod',
      region: 1,
      inputs: [input('f32'), input('u8', 'marks')],
      outputs: [output('message', 'messages')],
      doc: 'Bits of each message.',
      parameters: [
        { name: 'decode', type: 'switch', value: false, live: true, doc: 'Decodes here instead of in a block of its own.' },
      ],
    },
    {
      name: 'decode',
      kind: 'adsb_decode',
      region: 2,
      inputs: [input('message')],
      outputs: [output('message', 'messages')],
      doc: 'Fields of each message.',
      parameters: [],
    },
    {
      name: 'shift',
      kind: 'rotate',
      region: 3,
      inputs: [input('C32')],
      outputs: [output('C32')],
      doc: 'Shifts the spectrum.',
      parameters: [number('frequency_hz', -250e3, 'Hz', -1e6, 1e6, 'Shift of the spectrum.')],
    },
    {
      name: 'lowpass',
      kind: 'fir_decimate',
      region: 3,
      inputs: [input('C32')],
      outputs: [output('C32')],
      doc: 'Filters and decimates.',
      parameters: [
        number('cutoff_hz', 90e3, 'Hz', 1e3, 1e6, 'Edge of the pass band.'),
        { name: 'window', type: 'list', value: [0.54, 0.46], live: false, doc: 'Coefficients of the window.' },
      ],
    },
    {
      name: 'symbols',
      kind: 'symbol_sync',
      region: 3,
      inputs: [input('C32')],
      outputs: [output('C32')],
      doc: 'Takes one sample a symbol.',
      parameters: [number('loop_bandwidth', 0.01, null, 1e-4, 0.2, 'Bandwidth of the loop, a share of the symbol rate.')],
    },
    {
      name: 'audio',
      kind: 'quadrature_demod',
      region: 3,
      inputs: [input('C32')],
      outputs: [output('f32')],
      doc: 'Frequency of the signal.',
      parameters: [number('gain', 1, null, 0, 10, 'Output for one radian a sample.')],
    },
    { name: 'file', kind: 'null_sink', region: 3, inputs: [input('f32')], outputs: [], doc: null, parameters: [] },
  ].map((block) => ({ id: block.name, waits_outside: block.name === 'radio', ...block }));
  const streams = [
    ['radio', 'out', 'channel', 'in', 'C32', RATE_HZ],
    ['channel', 'out', 'preambles', 'in', 'f32', RATE_HZ],
    ['channel', 'out', 'demod', 'in', 'f32', RATE_HZ],
    ['preambles', 'out', 'demod', 'marks', 'u8', RATE_HZ],
    ['radio', 'out', 'shift', 'in', 'C32', RATE_HZ],
    ['shift', 'out', 'lowpass', 'in', 'C32', RATE_HZ],
    ['lowpass', 'out', 'symbols', 'in', 'C32', 200e3],
    ['lowpass', 'out', 'audio', 'in', 'C32', 200e3],
    ['audio', 'out', 'file', 'in', 'f32', 200e3],
  ].map(([a, from, b, to, item, rate_hz]) => ({
    id: `${a}.${from}>${b}.${to}`,
    from: { block: a, port: from },
    to: { block: b, port: to },
    item,
    rate_hz,
  }));
  const messages = [{ from: { block: 'demod', port: 'messages' }, to: { block: 'decode', port: 'in' } }];
  return { id: 1, name: 'adsb', blocks, streams, messages, workers: 2, views: [] };
}

const COST_NS = [0.9, 3.1, 11.8, 34.2, 900, 1.6, 8.4, 21, 14, 0.4];

export function metrics(graph, seconds) {
  const wobble = (k, depth) => 1 + depth * Math.sin(seconds * (1 + (k % 3) * 0.7) + k);
  const rate = (block) => ({ decode: 118, symbols: 200e3, audio: 200e3, file: 200e3 })[block.name] ?? RATE_HZ;
  const blocks = graph.blocks.map((block, k) => {
    const items_per_s = rate(block) * wobble(k, 0.01);
    const ns_per_item = COST_NS[k] * wobble(k, 0.06);
    return {
      id: block.id,
      items: Math.round(items_per_s * seconds),
      items_per_s,
      calls_per_s: items_per_s / 8192 + 20,
      ns_per_item,
      busy: Math.min(1, items_per_s * ns_per_item * 1e-9 * 9),
      blocked_input: 0.4,
      blocked_output: 0.05,
      gaps: block.name === 'radio' ? 1 + Math.floor(seconds / 20) : 0,
      lost_items: block.name === 'radio' ? (1 + Math.floor(seconds / 20)) * 16384 : 0,
      dropped: 0,
    };
  });
  const streams = graph.streams.map((stream, k) => ({
    id: stream.id,
    items_per_s: stream.rate_hz * wobble(k, 0.01),
    fill: Math.round(65536 * Math.min(1, (k === 2 ? 0.8 : 0.2) * wobble(k, 0.3))),
    capacity: 65536,
    waits: k === 2 ? 'writer' : k % 3 === 0 ? 'reader' : null,
    tags_per_s: k === 0 ? 1.5 : 0,
  }));
  return {
    seconds,
    blocks,
    streams,
    bottleneck: { block: 'demod', bound_items_per_s: 29.2e6 },
    process: { cpu: 0.62 * wobble(1, 0.1), memory_bytes: 41e6 },
  };
}
