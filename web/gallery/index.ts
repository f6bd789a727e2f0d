import './index.css';
import { addressOf, STATES, STORIES } from './states.ts';

interface Contents {
  regions: { id: string; brand: string }[];
  languages: string[];
  mails: string[];
}

/** Viewport heights by width, in pixels: phone, tablet and desktop. */
const WINDOWS: Readonly<Record<string, number>> = { 360: 740, 768: 1024, 1280: 800 };

const answer = await fetch('/account/dev/gallery/contents');
const { regions, languages, mails }: Contents = await answer.json();
const query = new URLSearchParams(location.search);
const region = query.get('region') ?? regions[0]?.id ?? '';
const lang = query.get('lang') ?? 'en';
const width = query.get('width') ?? '360';
const height = WINDOWS[width] ?? 800;

document.documentElement.style.setProperty('--width', `${width}px`);
document.documentElement.style.setProperty('--height', `${height}px`);

const choice = document.getElementById('choice') as HTMLFormElement;
choice.append(
  select(
    'region',
    region,
    regions.map(({ id, brand }) => [id, `${brand} (${id})`]),
  ),
  select('lang', lang, languages.map(twice)),
  select('width', width, Object.keys(WINDOWS).map(twice)),
);
choice.addEventListener('change', () => choice.submit());

for (const screen of [...Object.keys(STATES), 'mails']) {
  const link = make('a', screen);
  link.setAttribute('href', `#${screen}`);
  document.getElementById('screens')?.append(link);
}

const pictures = document.getElementById('pictures') as HTMLElement;
for (const screen of Object.keys(STATES)) {
  const stories = STORIES.filter((story) => story.screen === screen);
  show(
    screen,
    stories.map((story) => [story.name, addressOf(story, lang, region)]),
  );
}
const parts = new URLSearchParams({ lang, region });
show(
  'mails',
  mails.map((kind) => [kind, `/account/dev/gallery/mail/${kind}?${parts}`]),
);

function show(title: string, frames: readonly (readonly [string, string])[]): void {
  const heading = make('h2', title);
  heading.id = title;
  const row = make('div');
  row.className = 'row';
  row.append(...frames.map(([name, address]) => picture(`${title}: ${name}`, address)));
  pictures.append(heading, row);
}

function picture(name: string, address: string): HTMLElement {
  const figure = make('figure');
  const link = make('a', name);
  link.setAttribute('href', address);
  const caption = make('figcaption');
  caption.append(link);
  const frame = document.createElement('iframe');
  frame.title = name;
  // The page has many frames, so the browser loads only the visible frames.
  frame.loading = 'lazy';
  frame.src = address;
  const container = make('div');
  container.className = 'frame';
  container.append(frame);
  figure.append(caption, container);
  return figure;
}

function select(name: string, chosen: string, entries: readonly (readonly [string, string])[]) {
  const list = document.createElement('select');
  list.name = name;
  list.ariaLabel = name;
  list.append(...entries.map(([value, text]) => new Option(text, value, false, value === chosen)));
  return list;
}

function twice(text: string): readonly [string, string] {
  return [text, text];
}

function make(name: string, text = ''): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
