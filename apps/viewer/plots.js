// Channels over time, below the picture. Clicking sets the time.

const HEIGHT = 96, LEFT = 64, RIGHT = 10, TOP = 18, BOTTOM = 16;

export function shown(x) {
  if (!Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? x.toExponential(3) : String(Number(x.toPrecision(5)));
}

export class Plots {
  constructor(place, view) {
    this.place = place;
    this.view = view;
    this.plots = new Map();
    this.dirty = true;
  }

  has(name) { return this.plots.has(name); }

  async toggle(channel) {
    if (this.plots.has(channel.name)) {
      this.plots.get(channel.name).box.remove();
      this.plots.delete(channel.name);
      return;
    }
    const box = document.createElement('div');
    box.className = 'plot';
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-label', `${channel.name} over time`);
    const close = document.createElement('button');
    close.textContent = '×';
    close.title = 'Remove this plot';
    close.addEventListener('click', () => { this.toggle(channel); this.view.changed(); });
    box.append(canvas, close);
    this.place.append(box);
    const plot = { channel, box, canvas, series: [] };
    this.plots.set(channel.name, plot);
    const seek = (event) => {
      const area = canvas.getBoundingClientRect(), [from, to] = this.view.range();
      const s = (event.clientX - area.left - LEFT) / (area.width - LEFT - RIGHT);
      this.view.seek(from + Math.min(Math.max(s, 0), 1) * (to - from));
    };
    canvas.addEventListener('pointerdown', (event) => { canvas.setPointerCapture(event.pointerId); seek(event); });
    canvas.addEventListener('pointermove', (event) => { if (event.buttons & 1) seek(event); });
    await this.load(plot);
  }

  async load(plot) {
    const loaded = await Promise.allSettled(this.view.runs().map((run) => run.source.channel(run.run, plot.channel.name, 1200)));
    plot.series = loaded.map((one) => (one.status === 'fulfilled' ? one.value : null));
    if (loaded[0].status === 'rejected') this.view.tell(loaded[0].reason.message);
    this.dirty = true;
  }

  async reload() {
    await Promise.all([...this.plots.values()].map((plot) => this.load(plot)));
  }

  // Value at a time, between the points of the line.
  static at(series, t) {
    const { t: times, low } = series;
    let a = 0, b = times.length - 1;
    if (b < 0) return NaN;
    while (b - a > 1) { const m = (a + b) >> 1; if (times[m] <= t) a = m; else b = m; }
    const span = times[b] - times[a];
    return span > 0 ? low[a] + (low[b] - low[a]) * Math.min(1, Math.max(0, (t - times[a]) / span)) : low[a];
  }

  draw(t) {
    const style = getComputedStyle(document.documentElement);
    const pick = (name) => style.getPropertyValue(name).trim();
    for (const plot of this.plots.values()) {
      const { canvas } = plot, ratio = window.devicePixelRatio || 1;
      const width = canvas.clientWidth, height = canvas.clientHeight || HEIGHT;
      if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
      if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
      const c = canvas.getContext('2d');
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      c.clearRect(0, 0, width, height);
      c.font = '11px system-ui, sans-serif';
      const [from, to] = this.view.range();
      const x = (time) => LEFT + ((time - from) / (to - from || 1)) * (width - LEFT - RIGHT);
      let low = Infinity, high = -Infinity;
      for (const series of plot.series) {
        if (!series) continue;
        for (const value of series.low) if (value < low) low = value;
        for (const value of series.high) if (value > high) high = value;
      }
      const finite = Number.isFinite(low) && Number.isFinite(high);
      if (!finite) { low = -1; high = 1; }
      if (high - low < 1e-12 * Math.max(Math.abs(low), Math.abs(high), 1e-30)) { const k = Math.abs(low) || 1; low -= 0.1 * k; high += 0.1 * k; }
      const y = (value) => TOP + ((high - value) / (high - low)) * (height - TOP - BOTTOM);
      c.strokeStyle = pick('--line');
      c.beginPath();
      c.rect(LEFT + 0.5, TOP + 0.5, width - LEFT - RIGHT, height - TOP - BOTTOM);
      c.stroke();
      c.fillStyle = pick('--soft');
      c.textAlign = 'right';
      c.fillText(shown(high), LEFT - 5, TOP + 8);
      c.fillText(shown(low), LEFT - 5, height - BOTTOM);
      c.textAlign = 'left';
      c.fillText(shown(from), LEFT, height - 4);
      c.textAlign = 'right';
      c.fillText(`${shown(to)} s`, width - RIGHT, height - 4);
      plot.series.forEach((series, run) => {
        if (!series) return;
        c.strokeStyle = run === 0 ? pick('--accent') : pick('--soft');
        c.lineWidth = 1.3;
        c.beginPath();
        let pen = false;
        for (let k = 0; k < series.t.length; k++) {
          const px = x(series.t[k]), a = y(series.low[k]), b = y(series.high[k]);
          if (!Number.isFinite(a) || !Number.isFinite(b)) { pen = false; continue; }
          if (pen) c.lineTo(px, a); else c.moveTo(px, a);
          if (b !== a) c.lineTo(px, b);
          pen = true;
        }
        c.stroke();
      });
      const cursor = Math.round(x(t)) + 0.5;
      c.strokeStyle = '#d9822b';
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(cursor, TOP);
      c.lineTo(cursor, height - BOTTOM);
      c.stroke();
      const first = plot.series[0];
      const value = first ? shown(Plots.at(first, t)) : '';
      const unit = plot.channel.unit && plot.channel.unit !== '1' ? ` ${plot.channel.unit}` : '';
      c.fillStyle = pick('--ink');
      c.textAlign = 'left';
      c.fillText(`${plot.channel.name}  ${value}${unit}${finite || !first ? '' : '  (no values)'}`, LEFT, 12);
    }
    this.dirty = false;
  }
}
