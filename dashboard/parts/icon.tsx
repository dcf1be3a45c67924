/** Shapes on a grid of 16, drawn as lines: distinguishable without colours. */
const SHAPES = {
  check: 'M3.5 8.5l3 3 6-7',
  'check-circle': 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5.2 8.2l2 2 3.6-4.2',
  cross: 'M4.5 4.5l7 7m0-7l-7 7',
  'cross-circle': 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M6 6l4 4m0-4l-4 4',
  'arrow-circle': 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5 8h6M8.6 5.6L11 8l-2.4 2.4',
  'minus-circle': 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M5.2 8h5.6',
  clock: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 4.6V8l2.4 1.6',
  circle: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8',
  play: 'M5 3.2v9.6L12.6 8z',
  pause: 'M5.2 3.2v9.6m5.6-9.6v9.6',
  stop: 'M4 4h8v8H4z',
  alert: 'M8 2.2L14.4 13.4H1.6zM8 6.4v3.2m0 1.9v.1',
  blocked: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M3.8 3.8l8.4 8.4',
  eye: 'M1.4 8S3.8 3.6 8 3.6 14.6 8 14.6 8 12.2 12.4 8 12.4 1.4 8 1.4 8M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6',
  pen: 'M2.6 13.4l.8-3.2 7.4-7.4 2.4 2.4-7.4 7.4zM9.4 4.2l2.4 2.4',
  wrench:
    'M13.6 4.6l-2.2 2.2-2.2-2.2 2.2-2.2a3.4 3.4 0 0 0-4.6 4.2L2.4 11a1.7 1.7 0 0 0 2.6 2.6l4.4-4.4a3.4 3.4 0 0 0 4.2-4.6',
  question: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2m0 2v.1',
  note: 'M3 2.6h10v7.8l-3 3H3zM13 10.4h-3v3M5.4 5.6h5.2M5.4 8.2h3',
  sliders: 'M2 4.6h7m3 0h2M9 3v3.2M2 11.4h2m3 0h7M7 9.8V13',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.2v1.4m0 10.8v1.4M1.2 8h1.4m10.8 0h1.4M3.2 3.2l1 1m7.6 7.6l1 1m0-9.6l-1 1m-7.6 7.6l-1 1',
  moon: 'M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7',
  search: 'M7 2.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2m3.4 8l3.4 3.4',
  copy: 'M5.4 5.4h8v8h-8zM10.6 5.4V2.6h-8v8h2.8',
  chevron: 'M6 3.6L10.4 8 6 12.4',
  back: 'M10 3.6L5.6 8l4.4 4.4',
  repeat: 'M13 6.6A5.4 5.4 0 1 0 13.4 9M13.4 2.6v4h-4',
  branch:
    'M4.6 5.6v4.8M4.6 2.6a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3m0 7.8a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3m6.8-7.8a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3m0 3c0 3.4-6.8 1.6-6.8 4.8',
  lock: 'M3.6 7.2h8.8v6.4H3.6zM5.4 7.2V5a2.6 2.6 0 0 1 5.2 0v2.2',
  folder: 'M1.8 3.4h4.4l1.6 2h6.4v7.2H1.8z',
  keyboard: 'M1.4 4h13.2v8H1.4zM4 6.6h.1m2.6 0h.1m2.5 0h.1m2.5 0h.1M4.6 9.6h6.8',
  dots: 'M3.4 8h.1M8 8h.1m4.5 0h.1',
} as const;

export type IconName = keyof typeof SHAPES;

/** A button without words. */
export function IconButton(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly look?: 'quiet' | 'main' | '';
  readonly title?: string;
}) {
  return (
    <button
      type="button"
      class={`button square ${props.look ?? 'quiet'}`}
      aria-label={props.label}
      title={props.title}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/** Beside words with the same meaning, so hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
