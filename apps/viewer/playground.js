// Sliders of a model: joints with the loops kept closed, and parameters that run it anew.

import { shown } from './plots.js';

export class Playground {
  constructor(place, view) {
    this.place = place;
    this.view = view;
    this.busy = false;
    this.next = null;
  }

  load(play) {
    this.place.replaceChildren();
    this.sliders = new Map();
    if (!play) return;
    if (play.coordinates.length) this.section('Joints', play.coordinates.map((own) => ({
      key: own.name, label: own.name, unit: own.unit, value: own.value, low: own.low, high: own.high,
      send: (value) => this.send('move', { name: own.name, value }, (answer) => this.moved(answer)),
    })));
    if (play.parameters.length) this.section('Parameters', play.parameters.map((own) => ({
      key: `p:${own.name}`, label: own.name, unit: own.unit, title: own.about, value: own.value, low: own.low, high: own.high,
      send: (value) => this.send('parameter', { name: own.name, value }, () => this.view.refresh()),
    })));
    const run = document.createElement('button');
    run.id = 'run';
    run.textContent = 'Run';
    run.title = 'Simulate from the position of the model file';
    run.addEventListener('click', () => this.send('run', {}, () => this.view.refresh()));
    this.place.append(run);
  }

  section(title, list) {
    const head = document.createElement('h3');
    head.textContent = title;
    this.place.append(head);
    for (const own of list) {
      const label = document.createElement('label');
      if (own.title) label.title = own.title;
      const name = document.createElement('span');
      name.textContent = own.label;
      const value = document.createElement('span');
      const slider = document.createElement('input');
      slider.type = 'range';
      slider.min = own.low;
      slider.max = own.high;
      slider.step = 'any';
      slider.value = own.value;
      slider.dataset.name = own.key;
      slider.setAttribute('aria-label', own.label);
      const show = (x) => { value.textContent = `${shown(x)} ${own.unit || ''}`; };
      show(own.value);
      slider.addEventListener('input', () => { show(Number(slider.value)); own.send(Number(slider.value)); });
      label.append(name, value, slider);
      this.place.append(label);
      this.sliders.set(own.key, { slider, show });
    }
  }

  // One request at a time: of those that come meanwhile, the last counts.
  async send(path, value, done) {
    if (this.busy) { this.next = [path, value, done]; return; }
    this.busy = true;
    try {
      const answer = await this.view.source.post(path, value);
      this.view.tell(answer.error || '');
      await done(answer);
    } catch (error) {
      this.view.tell(error.message);
    }
    this.busy = false;
    if (this.next) { const next = this.next; this.next = null; this.send(...next); }
  }

  moved(answer) {
    this.view.pose(Float32Array.from(answer.poses, (x) => (x === null ? NaN : x)));
    for (const { name, value } of answer.coordinates) {
      const own = this.sliders.get(name);
      if (!own) continue;
      own.show(value);
      if (own.slider !== document.activeElement) own.slider.value = value;
    }
  }
}
