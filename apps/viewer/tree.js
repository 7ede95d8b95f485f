// Bodies, joints, forces and their channels, with search, selection and values.

import { shown } from './plots.js';

const MOST = 400;

function element(kind, className, text) {
  const made = document.createElement(kind);
  if (className) made.className = className;
  // Names are only ever text.
  if (text !== undefined) made.textContent = text;
  return made;
}

export class Tree {
  constructor(place, search, view) {
    this.place = place;
    this.search = search;
    this.view = view;
    this.open = new Set();
    this.values = new Map();
    search.addEventListener('input', () => this.build());
  }

  load(scene) {
    this.scene = scene;
    const owners = new Map();
    const add = (section, name, body, colour) => owners.set(`${section}:${name}`, { section, name, body, colour, channels: [] });
    scene.bodies.forEach((body, k) => { if (k > 0) add('Bodies', body.name, k, body.colour); });
    scene.axes.forEach((axis) => add('Joints', axis.joint, 0));
    (scene.arrows || []).filter((arrow) => arrow.kind === 'force').forEach((arrow) => add('Forces', arrow.of, 0));
    const rest = { section: 'Other', name: 'Mechanism', channels: [] };
    for (const channel of scene.channels || []) {
      const kind = channel.name.match(/^(body|joint|force|constraint|control|input):/)?.[1];
      const name = kind ? channel.name.slice(kind.length + 1) : channel.name;
      const sections = kind === 'body' ? ['Bodies'] : kind === 'joint' ? ['Joints'] : kind === 'force' ? ['Forces'] : kind ? [] : ['Bodies', 'Joints', 'Forces'];
      let owner = null, end = name.indexOf('.');
      while (end > 0 && !owner) {
        const head = name.slice(0, end);
        for (const section of sections) owner = owner || owners.get(`${section}:${head}`);
        end = name.indexOf('.', end + 1);
      }
      (owner || rest).channels.push(channel);
    }
    this.owners = [...owners.values(), rest];
    this.build();
  }

  build() {
    if (!this.owners) return;
    const wanted = this.search.value.trim().toLowerCase();
    this.place.replaceChildren();
    this.values.clear();
    let section = '', count = 0;
    for (const owner of this.owners) {
      const named = owner.name.toLowerCase().includes(wanted);
      const channels = owner.channels.filter((channel) => !wanted || named || channel.name.toLowerCase().includes(wanted));
      if (wanted && !named && !channels.length) continue;
      if (owner.section !== section) {
        section = owner.section;
        this.place.append(element('h3', '', section));
      }
      if (++count > MOST) {
        this.place.append(element('p', '', `${this.owners.length - MOST} more: search for their names.`));
        break;
      }
      const key = `${owner.section}:${owner.name}`;
      const item = element('div', 'item');
      item.setAttribute('role', 'button');
      item.dataset.name = owner.name;
      item.dataset.section = owner.section;
      if (owner.body && owner.body === this.view.selected()) item.classList.add('on');
      const dot = element('span', 'dot');
      dot.style.background = owner.colour ? `rgb(${owner.colour.map((x) => Math.round(255 * x)).join(',')})` : 'var(--line)';
      item.append(dot, element('span', 'name', owner.name), element('span', 'value', channels.length ? (this.open.has(key) ? '▾' : '▸') : ''));
      item.addEventListener('click', () => {
        if (this.open.has(key)) this.open.delete(key); else this.open.add(key);
        if (owner.body) this.view.select(owner.body); else this.build();
      });
      this.place.append(item);
      if (!this.open.has(key) && !(wanted && !named)) continue;
      for (const channel of channels.slice(0, MOST)) this.channel(owner, channel);
    }
  }

  channel(owner, channel) {
    const row = element('div', `item channel${channel.recorded ? '' : ' derived'}`);
    const short = channel.name.startsWith(`${owner.name}.`) ? channel.name.slice(owner.name.length + 1) : channel.name;
    row.title = `${channel.name}: ${channel.about || ''}${channel.recorded ? '' : ' (computed from the state)'}`;
    const box = element('input');
    box.type = 'checkbox';
    box.checked = this.view.plotted(channel.name);
    box.setAttribute('aria-label', `Plot ${channel.name}`);
    box.addEventListener('click', (event) => event.stopPropagation());
    box.addEventListener('change', () => this.view.plot(channel));
    const value = element('span', 'value');
    row.append(box, element('span', 'name', short), value);
    if (owner.body) {
      const paint = element('button', '', 'colour');
      paint.title = 'Colour the body by this channel';
      paint.addEventListener('click', (event) => { event.stopPropagation(); this.view.paint(owner.body, channel); });
      row.append(paint);
    }
    row.dataset.channel = channel.name;
    row.addEventListener('click', () => { box.checked = !box.checked; this.view.plot(channel); });
    this.place.append(row);
    this.values.set(channel.name, { place: value, unit: channel.unit });
  }

  // Names of the channels whose values are visible.
  watched() { return [...this.values.keys()].slice(0, 60); }

  show(names, numbers) {
    names.forEach((name, k) => {
      const own = this.values.get(name);
      if (own) own.place.textContent = `${shown(numbers[k])}${own.unit && own.unit !== '1' ? ` ${own.unit}` : ''}`;
    });
  }
}
