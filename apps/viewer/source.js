// Where rows come from: the server that made the page, or the page itself.

const number = (x) => (x === null || x === undefined ? NaN : x);

export function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

export class Server {
  constructor() {
    this.live = true;
  }

  async get(path, kind = 'json') {
    const answer = await fetch(path, { cache: 'no-store' });
    if (!answer.ok) throw new Error(await answer.text());
    return kind === 'json' ? answer.json() : answer.arrayBuffer();
  }

  async post(path, value) {
    const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  status() { return this.get('status'); }
  scene(run = 0) { return this.get(`scene?run=${run}`); }
  async meshes(run = 0) { return new Uint8Array(await this.get(`meshes?run=${run}`, 'bytes')); }
  async times(run = 0) { return new Float64Array(await this.get(`times?run=${run}`, 'bytes')); }
  async frames(run, first, count, step) {
    return new Float32Array(await this.get(`frames?run=${run}&first=${first}&count=${count}&step=${step}`, 'bytes'));
  }
  async channel(run, name, points) {
    const found = await this.get(`channel?run=${run}&points=${points}&name=${encodeURIComponent(name)}`);
    for (const key of ['t', 'low', 'high']) found[key] = found[key].map(number);
    return found;
  }
  async values(run, row, names) {
    const found = await this.post('values', { run, row, names });
    return found.map(number);
  }
  async arrows(run, row) { return new Float32Array(await this.get(`arrows?run=${run}&row=${row}`, 'bytes')); }
  async path(run, body, points) { return new Float32Array(await this.get(`path?run=${run}&body=${body}&points=${points}`, 'bytes')); }
}

export class Embedded {
  constructor(data) {
    this.data = data;
    this.live = false;
    this.poses = this.unpack();
  }

  // Positions and Euler parameters in 16 bits each, within the range that the page says.
  unpack() {
    const { rows, quantised } = this.data;
    const numbers = new Int16Array(bytesOf(quantised.poses).buffer);
    const bodies = this.data.scene.bodies.length - 1;
    const out = new Float32Array(rows * bodies * 7);
    for (let row = 0; row < rows; row++) {
      for (let body = 0; body < bodies; body++) {
        const at = (row * bodies + body) * 7, range = quantised.ranges[body];
        for (let k = 0; k < 3; k++) out[at + k] = range[k] + (range[3 + k] * (numbers[at + k] + 32767)) / 65534;
        for (let k = 3; k < 7; k++) out[at + k] = numbers[at + k] / 32767;
      }
    }
    return out;
  }

  async status() { return { version: 1, kind: 'result' }; }
  async scene() { return this.data.scene; }
  async meshes() { return bytesOf(this.data.meshes); }
  async times() { return Float64Array.from(this.data.times); }
  async frames(run, first, count, step) {
    const width = 7 * (this.data.scene.bodies.length - 1), rows = [];
    for (let k = 0; k < count && first + k * step < this.data.rows; k++) rows.push(first + k * step);
    const out = new Float32Array(rows.length * width);
    rows.forEach((row, k) => out.set(this.poses.subarray(row * width, (row + 1) * width), k * width));
    return out;
  }
  async channel(run, name) {
    const found = this.data.channels[name];
    if (!found) throw new Error(`${name} is not in this page.`);
    const values = Array.from(new Float32Array(bytesOf(found).buffer));
    return { t: this.data.channelTimes, low: values, high: values };
  }
  async values(run, row, names) {
    const t = this.data.times[row], grid = this.data.channelTimes;
    let k = grid.findIndex((own) => own >= t);
    if (k < 0) k = grid.length - 1;
    return Promise.all(names.map(async (name) => {
      if (!this.data.channels[name]) return NaN;
      return (await this.channel(0, name)).low[k];
    }));
  }
  async arrows(run, row) {
    if (!this.data.arrows) return new Float32Array(0);
    this.vectors = this.vectors || new Float32Array(bytesOf(this.data.arrows).buffer);
    const width = 3 * this.data.scene.arrows.length;
    return this.vectors.slice(row * width, (row + 1) * width);
  }
  async path(run, body, points) {
    const width = 7 * (this.data.scene.bodies.length - 1), step = Math.max(1, Math.floor(this.data.rows / points)), out = [];
    for (let row = 0; row < this.data.rows; row += step) {
      const at = row * width + 7 * (body - 1);
      out.push(this.poses[at], this.poses[at + 1], this.poses[at + 2]);
    }
    return Float32Array.from(out);
  }
}

// Rows of one run in blocks: those near the time at hand stay in memory.
export class Rows {
  constructor(source, run, times, bodies, limit = 48 << 20) {
    this.source = source; this.run = run; this.times = times; this.width = 7 * (bodies - 1);
    this.blocks = new Map(); this.waiting = new Map(); this.size = 0; this.limit = limit;
  }

  // The last row that is not after a time.
  before(t) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle - 1;
    }
    return low;
  }

  nearest(t) {
    const row = this.before(t);
    return row + 1 < this.times.length && this.times[row + 1] - t < t - this.times[row] ? row + 1 : row;
  }

  length(step) { return step > 64 ? 16 : 64; }

  // The numbers of a row, or nothing while they are on their way.
  row(row, step) {
    const length = this.length(step), block = Math.floor(row / step / length), key = `${step}:${block}`;
    const found = this.blocks.get(key);
    if (found) {
      this.blocks.delete(key); this.blocks.set(key, found); // newest last
      const at = (Math.floor(row / step) - block * length) * this.width;
      return at + this.width <= found.length ? found.subarray(at, at + this.width) : null;
    }
    this.fetch(step, block, length, key);
    return null;
  }

  fetch(step, block, length, key) {
    if (!this.waiting.has(key)) {
      const promise = this.source.frames(this.run, block * length * step, length, step).then((numbers) => {
        this.blocks.set(key, numbers); this.size += numbers.byteLength;
        for (const [old, data] of this.blocks) {
          if (this.size <= this.limit || old === key) break;
          this.blocks.delete(old); this.size -= data.byteLength;
        }
      }).finally(() => this.waiting.delete(key));
      this.waiting.set(key, promise);
    }
    return this.waiting.get(key);
  }

  async load(row, step = 1) {
    while (!this.row(row, step)) {
      const length = this.length(step), block = Math.floor(row / step / length), key = `${step}:${block}`;
      const promise = this.waiting.get(key);
      if (!promise) throw new Error(`row ${row} is not there`);
      await promise;
      if (!this.blocks.has(key) || !this.row(row, step)) break;
    }
    return this.row(row, step);
  }

  // Poses at a time between rows, every `step`-th of which is used; false while they are not there.
  at(t, step, out) {
    const last = this.times.length - 1;
    const a = Math.floor(this.before(t) / step) * step;
    let b = Math.min(a + step, last);
    b = Math.floor(b / step) * step;
    const first = this.row(a, step), second = b > a ? this.row(b, step) : first;
    if (!first || !second) return false;
    const span = this.times[b] - this.times[a];
    const s = span > 0 ? Math.min(1, Math.max(0, (t - this.times[a]) / span)) : 0;
    if (s === 0) { out.set(first); return true; }
    if (s === 1) { out.set(second); return true; }
    for (let k = 0; k < this.width; k += 7) {
      for (let j = 0; j < 3; j++) out[k + j] = first[k + j] * (1 - s) + second[k + j] * s;
      let cosine = 0;
      for (let j = 3; j < 7; j++) cosine += first[k + j] * second[k + j];
      const sign = cosine < 0 ? -s : s;
      for (let j = 3; j < 7; j++) out[k + j] = first[k + j] * (1 - s) + second[k + j] * sign;
    }
    return true;
  }
}
