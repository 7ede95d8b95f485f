// The page: puts everything together.

import { Camera } from './camera.js';
import { Renderer } from './renderer.js';
import { Server, Embedded, Rows } from './source.js';
import { Stage, gridLines, ramp } from './stage.js';
import { Plots, shown } from './plots.js';
import { Tree } from './tree.js';
import { Playground } from './playground.js';
import { add, scale, norm, sub } from './math.js';

const find = (id) => document.getElementById(id);
const TOGGLES = [
  ['grid', 'Grid', 'G', true], ['frames', 'Frames', 'R', false], ['axes', 'Joint axes', 'A', false],
  ['centres', 'Centres of mass', 'C', false], ['forces', 'Forces', 'O', false], ['reactions', 'Reactions', 'E', false],
  ['trace', 'Trace', 'T', false], ['names', 'Names', 'N', false], ['follow', 'Follow', 'W', false], ['ghost', 'Second run', 'U', true],
];
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 50, 100];
const KEYS = [
  ['Space', 'play or pause'], ['Left, Right', 'one row back or forward'], ['Home, End', 'first or last row'], ['+, −', 'faster or slower'],
  ['0, 1, 2, 3', 'view from the corner, along x, y, from above'], ['F', 'fit everything'], ['L', 'loop'], ['D', 'dark or light'],
  ['/', 'search'], ['Esc', 'select nothing'], ['?', 'this list'],
];

class Viewer {
  constructor(source) {
    this.source = source;
    this.options = Object.fromEntries(TOGGLES.map(([name, , , on]) => [name, on]));
    this.t = 0; this.playing = false; this.speed = 1; this.version = 0; this.body = 0; this.painted = null;
    this.ghosts = []; this.arrowSets = {}; this.frame = 0; this.worst = 0; this.errors = [];
    this.dirty = true;
  }

  async start() {
    this.renderer = new Renderer(find('picture'));
    this.plots = new Plots(find('plots'), {
      range: () => [this.begin(), this.end()], seek: (t) => this.seek(t), runs: () => this.runs(), tell: (text) => this.tell(text),
      changed: () => this.tree.build(),
    });
    this.tree = new Tree(find('tree'), find('search'), {
      selected: () => this.body, select: (body) => this.select(body), plot: (channel) => this.plot(channel),
      plotted: (name) => this.plots.has(name), paint: (body, channel) => this.paint(body, channel),
    });
    this.playground = new Playground(find('playground'), this);
    this.controls();
    await this.refresh(true);
    requestAnimationFrame((now) => this.tick(now));
    if (this.source.live) this.watch();
  }

  runs() { return [{ source: this.source, run: 0 }, ...(this.ghosts.length ? [{ source: this.source, run: 1 }] : [])]; }
  begin() { return this.times.length ? this.times[0] : 0; }
  end() { return this.times.length ? this.times[this.times.length - 1] : 1; }

  // Reads everything anew: at the beginning, and when the model or the result has changed.
  async refresh(first = false) {
    const status = await this.source.status();
    this.version = status.version;
    this.kind = status.kind;
    this.tell(status.error || '');
    if (status.empty) return;
    const scene = await this.source.scene();
    const bytes = await this.source.meshes();
    this.renderer.load(scene.meshes, bytes);
    const camera = this.camera;
    this.scene = scene;
    this.stage = new Stage(scene);
    this.times = await this.source.times();
    this.rows = new Rows(this.source, 0, this.times, scene.bodies.length);
    this.ghosts = [];
    if (status.runs > 1) {
      const ghost = await this.source.scene(1);
      const times = await this.source.times(1);
      // Surfaces of the second run stand behind those of the first.
      const other = await this.source.meshes(1);
      const all = new Uint8Array(bytes.length + other.length);
      all.set(bytes); all.set(other, bytes.length);
      const moved = ghost.meshes.map((mesh) => ({ ...mesh, at: mesh.at + bytes.length }));
      this.renderer.load([...scene.meshes, ...moved], all);
      for (const part of ghost.parts) { part.mesh += scene.meshes.length; part.opacity = part.scenery ? 0 : 0.28; }
      this.ghosts = [{ stage: new Stage(ghost), rows: new Rows(this.source, 1, times, ghost.bodies.length) }];
    }
    find('ghost').hidden = !this.ghosts.length;
    document.title = `${scene.name} – Holonom`;
    find('title').textContent = scene.name;
    this.camera = new Camera(scene);
    this.camera.fit(scene.centre, scene.radius, this.renderer.aspect() || 1);
    if (!first && camera) this.camera.set({ target: camera.target, direction: camera.direction, distance: camera.distance });
    // A mechanism that travels is followed.
    if (first && this.source.live && scene.travels) this.toggle('follow', true);
    if (first && !this.source.live && scene.travels) this.toggle('follow', true);
    this.tree.load(scene);
    this.playground.load(status.play);
    if (this.body >= scene.bodies.length) this.body = 0;
    const slider = find('slider');
    slider.min = this.begin(); slider.max = this.end();
    find('loop').disabled = this.times.length < 2;
    if (first || this.t > this.end() || this.t < this.begin()) this.t = this.begin();
    if (status.running) this.t = this.end();
    if (this.times.length) {
      const row = await this.rows.load(this.rows.nearest(this.t));
      if (row) this.stage.setPoses(row);
    }
    this.anchor = this.stage.middle();
    this.arrowSets = {};
    this.traced = null;
    const notes = [...scene.notes];
    if (status.note) notes.push(status.note);
    find('legend').dataset.notes = notes.join('\n');
    await this.plots.reload();
    this.dirty = true;
    this.ready = true;
  }

  // Asks the server now and then whether something has changed.
  async watch() {
    let wait = 400;
    try {
      const status = await this.source.status();
      if (status.version !== this.version) await this.refresh();
      else {
        this.tell(status.error || '');
        if (status.running) { await this.follow(); wait = 60; }
        else if (this.following) { this.following = false; await this.refresh(); }
      }
      this.away = 0;
    } catch (error) {
      this.away = (this.away || 0) + 1;
      if (this.away > 2) this.tell('The command that serves this page has ended. Start it again and open the new address.');
      wait = 1500;
    }
    setTimeout(() => this.watch(), wait);
  }

  // A run that goes on: the newest row is shown unless the user has gone back.
  async follow() {
    const atEnd = this.following === undefined || this.t >= this.end() - 1e-12;
    this.following = true;
    const times = await this.source.times();
    if (times.length === this.times.length) return;
    this.times = times;
    this.rows = new Rows(this.source, 0, times, this.scene.bodies.length);
    find('slider').max = this.end();
    if (atEnd) {
      this.t = this.end();
      const numbers = await this.source.frames(0, times.length - 1, 1, 1);
      if (numbers.length) this.stage.setPoses(numbers);
      this.shownTime = this.t;
    }
    this.dirty = true;
  }

  tell(text) {
    const box = find('message');
    if (box.textContent !== text) box.textContent = text;
    box.hidden = !text;
  }

  seek(t) {
    this.t = Math.min(Math.max(t, this.begin()), this.end());
    this.dirty = true;
  }

  step(rows) {
    this.play(false);
    const row = Math.min(Math.max(this.rows.nearest(this.t) + rows, 0), this.times.length - 1);
    this.seek(this.times[row]);
  }

  play(on = !this.playing) {
    this.playing = on && this.times.length > 1;
    if (this.playing && this.t >= this.end()) this.t = this.begin();
    find('play').textContent = this.playing ? 'Pause' : 'Play';
    this.last = 0;
  }

  toggle(name, on = !this.options[name]) {
    this.options[name] = on;
    find(name).setAttribute('aria-pressed', String(on));
    if (name === 'follow' && this.stage) this.anchor = this.stage.middle();
    this.dirty = true;
  }

  select(body) {
    this.body = body;
    this.traced = null;
    find('chosen').textContent = body ? this.scene.bodies[body].name : '';
    this.tree.build();
    this.dirty = true;
  }

  async plot(channel) {
    await this.plots.toggle(channel);
    this.tree.build();
    this.dirty = true;
  }

  async paint(body, channel) {
    if (this.painted && this.painted.body === body && this.painted.channel.name === channel.name) {
      this.painted = null;
      this.stage.colours.delete(body);
    } else {
      try {
        const series = await this.source.channel(0, channel.name, 1200);
        const finite = series.low.filter(Number.isFinite);
        this.stage.colours.clear();
        this.painted = { body, channel, series, low: Math.min(...finite), high: Math.max(...finite) };
      } catch (error) { this.tell(error.message); }
    }
    this.dirty = true;
  }

  // Shows other poses than those of a row: those of the playground.
  pose(numbers) {
    this.stage.setPoses(numbers);
    this.posed = true;
    this.dirty = true;
  }

  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    if (!this.ready) return;
    const begin = performance.now();
    if (this.playing) {
      const passed = this.last ? Math.min((now - this.last) / 1000, 0.25) : 0;
      this.last = now;
      let t = this.t + passed * this.speed;
      if (t > this.end()) {
        if (find('loop').checked) t = this.begin();
        else { t = this.end(); this.play(false); }
      }
      this.t = t;
      this.dirty = true;
    }
    if (this.renderer.resize()) this.dirty = true;
    if (!this.dirty && !this.plots.dirty) return;
    this.dirty = false;
    this.draw();
    const spent = performance.now() - begin;
    this.spent = spent;
    // Without waiting for the graphics, which may be software.
    this.script = spent - (this.drawn || 0);
    this.worst = Math.max(this.worst, spent);
    this.frame++;
  }

  // Rows of which one is shown in each frame at the speed at hand.
  stride() {
    if (!this.playing || this.times.length < 3) return 1;
    const rows = ((this.times.length - 1) / (this.end() - this.begin())) * this.speed / 40;
    let step = 1;
    while (step * 2 <= rows) step *= 2;
    return step;
  }

  draw() {
    const { stage, camera } = this;
    if (this.t !== this.shownTime) this.posed = false;
    if (!this.posed && this.times.length) {
      const there = this.rows.at(this.t, this.stride(), stage.poses);
      if (there) { stage.setPoses(stage.poses); this.shownTime = this.t; this.frameTime = this.t; } else this.soon();
    }
    if (this.options.follow && this.anchor) {
      const now = stage.middle(), moved = sub(now, this.anchor);
      if (Number.isFinite(norm(moved))) camera.target = add(camera.target, moved);
      this.anchor = now;
    }
    if (this.painted) {
      const { body, series, low, high } = this.painted;
      stage.colours.set(body, ramp((Plots.at(series, this.t) - low) / (high - low || 1)));
    }
    const batches = [...stage.fill(false)];
    if (this.options.ghost) {
      for (const ghost of this.ghosts) {
        if (ghost.rows.at(this.t, 1, ghost.stage.poses)) ghost.stage.setPoses(ghost.stage.poses); else this.soon();
        batches.push(...ghost.stage.fill(true));
      }
    }
    const lines = this.lines(batches);
    const dark = document.documentElement.classList.contains('dark');
    this.renderer.place(batches);
    const drawing = performance.now();
    this.renderer.draw(camera, this.style(dark), Float32Array.from(lines));
    this.drawn = performance.now() - drawing;
    this.overlay();
    this.plots.draw(this.t);
    find('slider').value = this.t;
    if (document.activeElement !== find('time')) find('time').value = this.t.toFixed(4).replace(/\.?0+$/, '') || '0';
    this.ask();
  }

  style(dark = false) {
    const { stage, scene } = this;
    return {
      background: dark ? [0.11, 0.125, 0.15] : [0.965, 0.973, 0.985], floor: stage.lowest, reach: scene.radius, chosen: this.body,
      shadows: norm(scene.up) > 0,
    };
  }

  // Draws once more when numbers on their way have come.
  soon() {
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(() => { this.waiting = false; this.dirty = true; }, 8);
  }

  lines(batches) {
    const { stage, scene, camera, options } = this;
    const dark = document.documentElement.classList.contains('dark');
    let out = [];
    if (options.grid && !scene.parts.some((part) => part.scenery && part.mesh === 4)) {
      const grid = gridLines(camera, scene.up, stage.lowest, dark ? [0.26, 0.29, 0.33] : [0.78, 0.8, 0.84]);
      out = grid.numbers;
      this.gridStep = grid.step;
    } else this.gridStep = 0;
    const line = (a, b, colour, opacity = 1) => out.push(...a, ...colour, opacity, ...b, ...colour, opacity);
    const size = 0.18 * scene.unit;
    if (options.frames) {
      for (const frame of scene.frames) {
        const at = stage.point(frame.body, frame.position);
        for (let k = 0; k < 3; k++) {
          const direction = [frame.rotation[k], frame.rotation[3 + k], frame.rotation[6 + k]];
          line(at, add(at, scale(stage.vector(frame.body, direction), size)), [0, 1, 2].map((j) => (j === k ? 0.9 : 0.15)));
        }
      }
    }
    if (options.axes) {
      for (const axis of scene.axes) {
        const at = stage.point(axis.body, axis.point), d = scale(stage.vector(axis.body, axis.direction), 1.6 * size);
        line(sub(at, d), add(at, d), [0.75, 0.2, 0.65]);
      }
    }
    if (options.centres) {
      const balls = [];
      scene.bodies.forEach((body, k) => {
        if (body.centre) balls.push({ at: stage.point(k, body.centre), radius: 0.035 * scene.unit, colour: dark ? [1, 0.85, 0.2] : [0.95, 0.7, 0.05], body: k });
      });
      batches.push(stage.balls(balls));
    }
    if (options.trace) this.trace(line);
    if (options.forces || options.reactions) this.arrows(batches);
    return out;
  }

  async trace(line) {
    const bodies = this.body ? [this.body] : this.scene.bodies.map((_, k) => k).slice(1, 9);
    const key = bodies.join();
    if (!this.traced || this.traced.key !== key) {
      if (this.tracing === key || !this.times.length) return;
      this.tracing = key;
      try {
        const paths = await Promise.all(bodies.map((body) => this.source.path(0, body, 800)));
        this.traced = { key, paths, bodies };
      } catch (error) { this.tell(error.message); }
      this.tracing = '';
      this.dirty = true;
      return;
    }
    this.traced.paths.forEach((path, k) => {
      const colour = this.scene.bodies[this.traced.bodies[k]].colour;
      for (let p = 0; p + 5 < path.length; p += 3) line(path.subarray(p, p + 3), path.subarray(p + 3, p + 6), colour);
    });
  }

  arrows(batches) {
    const row = this.rows.nearest(this.t), found = this.arrowSets[row];
    if (!found) {
      if (!this.arrowsWait) {
        this.arrowsWait = true;
        this.source.arrows(0, row).then((vectors) => {
          if (Object.keys(this.arrowSets).length > 600) this.arrowSets = {};
          this.arrowSets[row] = vectors;
          for (let k = 0; k + 2 < vectors.length; k += 3) {
            const size = Math.hypot(vectors[k], vectors[k + 1], vectors[k + 2]);
            if (Number.isFinite(size)) this.largest = Math.max(this.largest || 0, size);
          }
        }).catch((error) => this.tell(error.message)).finally(() => { this.arrowsWait = false; this.dirty = true; });
      }
    }
    const vectors = found || this.latestArrows;
    if (!vectors || !this.largest) return;
    this.latestArrows = vectors;
    const list = [];
    this.scene.arrows.forEach((arrow, k) => {
      if (!this.options[arrow.kind === 'force' ? 'forces' : 'reactions']) return;
      const vector = Array.from(vectors.subarray(3 * k, 3 * k + 3)), size = norm(vector);
      if (!(size > 1e-3 * this.largest)) return;
      const from = this.stage.point(arrow.body, arrow.point), length = 1.5 * this.scene.unit / this.largest;
      list.push({ from, vector: scale(vector, length), radius: 0.018 * this.scene.unit, colour: arrow.kind === 'force' ? [0.15, 0.6, 0.3] : [0.8, 0.2, 0.25] });
    });
    batches.push(...this.stage.arrows(list));
  }

  overlay() {
    const labels = find('labels'), canvas = find('picture');
    const wanted = [];
    if (this.options.names) this.scene.bodies.forEach((body, k) => { if (k > 0 && wanted.length < 120) wanted.push([k, body.name]); });
    else if (this.body) wanted.push([this.body, this.scene.bodies[this.body].name]);
    while (labels.childElementCount > wanted.length) labels.lastChild.remove();
    while (labels.childElementCount < wanted.length) labels.append(document.createElement('span'));
    wanted.forEach(([body, name], k) => {
      const own = labels.children[k], centre = this.scene.bodies[body].centre;
      const at = centre ? this.stage.point(body, centre) : this.stage.origin(body);
      const [x, y, depth] = this.camera.project(at, canvas.clientWidth, canvas.clientHeight);
      own.textContent = name;
      own.style.display = depth > 0 && Number.isFinite(x + y) ? '' : 'none';
      own.style.left = `${x}px`;
      own.style.top = `${y}px`;
    });
    const legend = [];
    if (this.gridStep) legend.push(`grid ${shown(this.gridStep)} m`);
    if ((this.options.forces || this.options.reactions) && this.largest) legend.push(`longest arrow ${shown(this.largest)} N`);
    if (this.painted) legend.push(`${this.painted.channel.name}: ${shown(this.painted.low)} … ${shown(this.painted.high)} ${this.painted.channel.unit}`);
    if (this.stage.lost) legend.push(`${this.stage.lost} ${this.stage.lost === 1 ? 'body has' : 'bodies have'} no position at this time`);
    if (find('legend').dataset.notes) legend.push(find('legend').dataset.notes);
    const text = legend.join('\n');
    if (find('legend').textContent !== text) find('legend').textContent = text;
  }

  // Values of the visible channels, ten times a second at most.
  ask() {
    const now = performance.now(), names = this.tree.watched();
    if (!names.length || !this.times.length || this.asking || now - (this.asked || 0) < 100) return;
    const row = this.rows.nearest(this.t), key = `${row}:${names.join()}`;
    if (key === this.answered) return;
    this.asking = true;
    this.asked = now;
    this.source.values(0, row, names).then((numbers) => { this.tree.show(names, numbers); this.answered = key; })
      .catch((error) => this.tell(error.message))
      .finally(() => { this.asking = false; if (this.rows.nearest(this.t) !== row) this.dirty = true; });
  }

  pick(x, y) {
    return this.renderer.pick(this.camera, this.style(), x, y);
  }

  setView(name) {
    this.camera.view(name, this.scene.axes.map((axis) => axis.direction));
    this.dirty = true;
  }

  fit() {
    const centre = this.options.follow || this.scene.travels ? this.stage.middle() : this.scene.centre;
    this.camera.fit(centre, this.scene.radius, this.renderer.aspect());
    this.anchor = this.stage.middle();
    this.dirty = true;
  }

  theme() {
    document.documentElement.classList.toggle('dark');
    this.dirty = true;
  }

  controls() {
    const canvas = find('picture');
    for (const [name, label, key] of TOGGLES) {
      const button = document.createElement('button');
      button.id = name;
      button.textContent = label;
      button.title = `${label} (${key})`;
      button.setAttribute('aria-pressed', String(this.options[name]));
      button.addEventListener('click', () => this.toggle(name));
      find('toggles').append(button);
    }
    find('ghost').hidden = true;
    for (const speed of SPEEDS) {
      const option = document.createElement('option');
      option.value = speed;
      option.textContent = `${speed} ×`;
      find('speed').append(option);
    }
    find('speed').value = 1;
    find('speed').addEventListener('change', () => { this.speed = Number(find('speed').value); });
    find('play').addEventListener('click', () => this.play());
    find('back').addEventListener('click', () => this.step(-1));
    find('forth').addEventListener('click', () => this.step(1));
    find('slider').addEventListener('input', () => { this.play(false); this.seek(Number(find('slider').value)); });
    find('time').addEventListener('change', () => {
      const t = Number(find('time').value.replace(',', '.'));
      if (Number.isFinite(t)) { this.play(false); this.seek(t); }
    });
    find('fit').addEventListener('click', () => this.fit());
    find('theme').addEventListener('click', () => this.theme());
    find('help').addEventListener('click', () => find('keys').showModal());
    for (const button of find('views').querySelectorAll('[data-view]')) {
      button.addEventListener('click', () => this.setView(button.dataset.view));
    }
    for (const [key, what] of [...KEYS, ...TOGGLES.map(([, label, key]) => [key, label.toLowerCase()])]) {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = key;
      dd.textContent = what;
      find('keylist').append(dt, dd);
    }
    let drag = null;
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.clientX, y: event.clientY, far: 0, pan: event.shiftKey || event.button !== 0 };
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) return;
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      drag.far += Math.abs(dx) + Math.abs(dy);
      drag.x = event.clientX; drag.y = event.clientY;
      if (drag.far < 4) return;
      if (drag.pan) this.camera.pan(dx / canvas.clientHeight, dy / canvas.clientHeight);
      else this.camera.orbit(dx * 0.008, dy * 0.008);
      this.dirty = true;
    });
    const place = (event) => {
      const area = canvas.getBoundingClientRect();
      return [event.clientX - area.left, event.clientY - area.top];
    };
    canvas.addEventListener('pointerup', (event) => {
      if (drag && drag.far < 4 && this.scene) this.select(this.pick(...place(event)));
      drag = null;
    });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('dblclick', (event) => {
      const body = this.pick(...place(event));
      if (body) { this.camera.target = this.stage.origin(body); this.dirty = true; }
    });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(event.deltaY * 0.0012));
      this.dirty = true;
    }, { passive: false });
    document.addEventListener('keydown', (event) => this.key(event));
    if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
  }

  key(event) {
    const typing = event.target instanceof HTMLInputElement && event.target.type !== 'range' && event.target.type !== 'checkbox';
    if (typing || event.ctrlKey || event.metaKey || event.altKey || find('keys').open || !this.ready) return;
    const views = { 0: 'corner', 1: 'x', 2: 'y', 3: 'z' };
    const speed = (by) => {
      const box = find('speed');
      box.selectedIndex = Math.min(Math.max(box.selectedIndex + by, 0), SPEEDS.length - 1);
      this.speed = Number(box.value);
    };
    const keys = {
      ' ': () => this.play(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.seek(this.begin()),
      End: () => this.seek(this.end()), '+': () => speed(1), '-': () => speed(-1), '?': () => find('keys').showModal(),
      '/': () => find('search').focus(), Escape: () => this.select(0), f: () => this.fit(), d: () => this.theme(),
      l: () => { find('loop').checked = !find('loop').checked; },
    };
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const toggle = TOGGLES.find(([, , key]) => key.toLowerCase() === name);
    if (views[name]) this.setView(views[name]);
    else if (keys[name]) keys[name]();
    else if (toggle) this.toggle(toggle[0]);
    else return;
    event.preventDefault();
  }
}

function fail(error) {
  const box = find('message');
  box.textContent = error.message || String(error);
  box.hidden = false;
}

const data = find('data');
const viewer = new Viewer(data ? new Embedded(JSON.parse(data.textContent)) : new Server());
// For tests and the curious.
window.viewer = viewer;
window.addEventListener('error', (event) => viewer.errors.push(event.message));
window.addEventListener('unhandledrejection', (event) => { viewer.errors.push(String(event.reason)); fail(event.reason); });
viewer.start().catch(fail);
