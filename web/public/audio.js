// Plays mono samples as they come. A buffer that grows beyond twice its aim is cut to the aim, so that the sound stays
// close to the signal; one that runs dry waits until the aim is there again.
class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this.ring = new Float32Array(sampleRate * 2);
    this.read = 0;
    this.held = 0;
    this.aim = Math.round(sampleRate * 0.12);
    this.playing = false;
    this.dropped = 0;
    this.dry = 0;
    this.blocks = 0;
    this.port.onmessage = ({ data }) => {
      if (data.aim !== undefined) this.aim = Math.round(sampleRate * data.aim);
      if (data.samples) this.take(data.samples);
    };
  }

  take(samples) {
    const { ring } = this;
    for (const sample of samples) {
      if (this.held === ring.length) {
        this.read = (this.read + 1) % ring.length;
        this.held--;
        this.dropped++;
      }
      ring[(this.read + this.held++) % ring.length] = sample;
    }
    if (this.held > 2 * this.aim) {
      const excess = this.held - this.aim;
      this.read = (this.read + excess) % ring.length;
      this.held -= excess;
      this.dropped += excess;
    }
  }

  process(_, outputs) {
    const out = outputs[0][0];
    if (!this.playing && this.held >= this.aim) this.playing = true;
    if (this.playing) {
      const count = Math.min(out.length, this.held);
      for (let k = 0; k < count; k++) out[k] = this.ring[(this.read + k) % this.ring.length];
      this.read = (this.read + count) % this.ring.length;
      this.held -= count;
      if (count < out.length) {
        this.playing = false;
        this.dry++;
      }
    }
    if (++this.blocks % 32 === 0) {
      this.port.postMessage({ latency: this.held / sampleRate, dropped: this.dropped / sampleRate, dry: this.dry });
    }
    return true;
  }
}

registerProcessor('superhet-player', Player);
