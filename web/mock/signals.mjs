// Synthetic frames of each view, for the mock server.
import { CENTER_HZ, RATE_HZ } from './graph.mjs';

const KIND = { spectrum: 1, waterfall: 2, time: 3, constellation: 4, eye: 5, histogram: 6, bits: 7, audio: 8 };
const [COMPLEX, F32, TRIGGERED, PAIRS] = [1, 2, 4, 8];

function frame(view, tap, flags, state, payload) {
  const buffer = Buffer.alloc(24 + payload.byteLength);
  buffer.writeUInt8(KIND[view], 0);
  buffer.writeUInt8(1, 1);
  buffer.writeUInt16LE(tap, 2);
  buffer.writeUInt32LE(flags, 4);
  buffer.writeUInt32LE(state.sequence++, 8);
  buffer.writeUInt32LE(0, 12);
  buffer.writeBigUInt64LE(BigInt(Math.round(state.seconds * RATE_HZ)), 16);
  Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).copy(buffer, 24);
  return buffer;
}

const gauss = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

/** Frequencies of the first and last bin of a tap. */
export function axis(tap) {
  const center = tap.zoom?.center_hz ?? CENTER_HZ;
  const span = tap.zoom?.span_hz ?? RATE_HZ;
  return { first_hz: center - span / 2, last_hz: center + span / 2 - span / (tap.bins ?? 1024), rate_hz: RATE_HZ };
}

/** Stations: offset from the centre, width, level in dB. */
const STATIONS = [
  [-640e3, 12e3, -62],
  [-250e3, 90e3, -54],
  [7e3, 900, -38],
  [180e3, 4e3, -70],
  [420e3, 30e3, -60],
  [421e3, 1200, -48],
  [760e3, 7e3, -66],
];

/** Rows made once, for a page that wants more than can be made anew. */
const kept = new Map();
const KEPT_ROWS = 32;

function keptLevels(tap, state) {
  const bins = tap.bins ?? 1024;
  if (!kept.has(bins))
    kept.set(
      bins,
      Array.from({ length: KEPT_ROWS }, (_, k) => levels({ bins }, k / 10)),
    );
  return kept.get(bins)[state.sequence % KEPT_ROWS];
}

function levels(tap, seconds) {
  const bins = tap.bins ?? 1024;
  const { first_hz, last_hz } = axis(tap);
  const db = new Float32Array(bins);
  const step = (last_hz - first_hz) / (bins - 1);
  for (let k = 0; k < bins; k++) {
    const hz = first_hz + k * step - CENTER_HZ;
    let power = 10 ** ((-100 + 3 * Math.cos((hz / RATE_HZ) * 5)) / 10) * -Math.log(1 - Math.random());
    STATIONS.forEach(([offset, width, level], n) => {
      const on = n % 3 !== 1 || Math.sin(seconds * 1.7 + n) > -0.2;
      const away = (hz - offset - (n === 4 ? 20e3 * Math.sin(seconds) : 0)) / Math.max(width, step);
      if (on && Math.abs(away) < 3) power += 10 ** (level / 10) * Math.exp(-away * away * 2) * -Math.log(1 - Math.random() * 0.9);
    });
    db[k] = 10 * Math.log10(power);
  }
  return db;
}

export function viewFrame(tap, id, state, again = false) {
  const { seconds } = state;
  const row = () => (again ? keptLevels(tap, state) : levels(tap, seconds));
  switch (tap.view) {
    case 'spectrum':
      return frame('spectrum', id, F32, state, row());
    case 'waterfall':
      return frame(
        'waterfall',
        id,
        0,
        state,
        Uint8Array.from(row(), (db) => Math.min(255, Math.max(0, (db + 160) * 1.5))),
      );
    case 'time': {
      const points = tap.points ?? 512;
      const values = new Float32Array(points * 4);
      for (let trace = 0; trace < 2; trace++) {
        for (let k = 0; k < points; k++) {
          const middle =
            0.6 *
            Math.sin((k / points) * 40 + trace * 1.57 + (tap.trigger ? 0 : seconds)) *
            Math.exp(-(((k / points - 0.5) * 3) ** 2));
          const spread = 0.02 + 0.02 * Math.random();
          values[(trace * points + k) * 2] = middle - spread;
          values[(trace * points + k) * 2 + 1] = middle + spread;
        }
      }
      return frame('time', id, COMPLEX | F32 | PAIRS | (tap.trigger ? TRIGGERED : 0), state, values);
    }
    case 'constellation': {
      const iq = new Float32Array(2048);
      for (let k = 0; k < 1024; k++) {
        iq[2 * k] = (Math.random() < 0.5 ? -0.7 : 0.7) + 0.06 * gauss();
        iq[2 * k + 1] = (Math.random() < 0.5 ? -0.7 : 0.7) + 0.06 * gauss();
      }
      return frame('constellation', id, F32 | COMPLEX, state, iq);
    }
    case 'eye': {
      const length = 2 * (tap.symbol_samples ?? 16) + 1;
      const traces = new Float32Array(length * 64 + 1);
      new DataView(traces.buffer).setUint32(0, length, true);
      for (let trace = 0; trace < 64; trace++) {
        const [a, b, c] = [0, 0, 0].map(() => (Math.random() < 0.5 ? -1 : 1));
        for (let k = 0; k < length; k++) {
          const x = (k / (length - 1)) * 2;
          const blend = (p, q, t) => p + ((q - p) * (1 - Math.cos(Math.PI * t))) / 2;
          traces[1 + trace * length + k] = (x < 1 ? blend(a, b, x) : blend(b, c, x - 1)) + 0.05 * gauss();
        }
      }
      return frame('eye', id, F32, state, traces);
    }
    case 'histogram': {
      const bins = tap.bins ?? 64;
      const counts = new Uint32Array(bins + 2);
      const ends = new DataView(counts.buffer);
      ends.setFloat32(0, -1, true);
      ends.setFloat32(4, 1, true);
      for (let k = 0; k < 4000; k++) {
        const value = (Math.random() < 0.5 ? -0.5 : 0.5) + 0.12 * gauss();
        counts[2 + Math.min(bins - 1, Math.max(0, Math.floor(((value + 1) / 2) * bins)))]++;
      }
      return frame('histogram', id, F32, state, counts);
    }
    case 'bits':
      return frame(
        'bits',
        id,
        0,
        state,
        Uint8Array.from({ length: 1024 }, (_, k) =>
          (k + Math.floor(seconds * 20)) % 64 < 16 ? (k >> 1) & 1 : Math.random() < 0.5 ? 1 : 0,
        ),
      );
    case 'audio': {
      const samples = new Float32Array(1920);
      for (let k = 0; k < samples.length; k++) samples[k] = 0.2 * Math.sin((2 * Math.PI * 440 * (state.audio + k)) / 48000);
      state.audio += samples.length;
      return frame('audio', id, F32, state, samples);
    }
    default:
      return undefined;
  }
}

const AIRCRAFT = [
  ['3c6587', 'DLH4TA', 50.11, 8.68, 74],
  ['4ca9d1', 'RYR81KP', 49.6, 9.4, 215],
  ['a835af', 'UAL960', 50.6, 7.6, 301],
  ['40756a', 'BAW23', 49.9, 7.2, 12],
];

export function logRows(tap, state) {
  const { seconds } = state;
  if (tap.view === 'tags')
    return [
      {
        index: Math.round(seconds * RATE_HZ),
        key: Math.random() < 0.5 ? 'gap' : 'rx_freq',
        value: Math.random() < 0.5 ? 16384 : CENTER_HZ,
      },
    ];
  if (tap.view === 'map') {
    return AIRCRAFT.map(([key, name, lat, lon, heading], n) => {
      const way = (seconds * 0.004 + n * 0.01) % 1.2;
      const [dy, dx] = [Math.cos((heading * Math.PI) / 180), Math.sin((heading * Math.PI) / 180)];
      return {
        key,
        kind: 'aircraft',
        name,
        lat: lat + dy * way,
        lon: lon + (dx * way) / 0.64,
        altitude_m: 9000 + n * 700,
        heading_deg: heading,
        speed_mps: 210 + n * 9,
        fields: { squawk: 1000 + n, messages: Math.round(seconds * 8) },
      };
    });
  }
  const icao = AIRCRAFT[Math.floor(Math.random() * AIRCRAFT.length)][0];
  if (tap.view === 'packets')
    return [
      {
        seconds,
        item: 'u8',
        hex: `8d${icao}${Array.from({ length: 10 }, () =>
          Math.floor(Math.random() * 256)
            .toString(16)
            .padStart(2, '0'),
        ).join('')}`,
        meta: { crc: 'ok', rssi_db: -21.4, icao },
      },
    ];
  return [{ seconds, value: { protocol: 'Mode S', icao, df: 17, altitude_m: 9000 + Math.round(Math.random() * 3000) } }];
}
