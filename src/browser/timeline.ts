/** How long a demo plays at most, in seconds: a longer one is played faster, by a whole factor. */
const longest = 20;

/** How long the last moment is shown, in seconds of the demo. */
const lastMoment = 4;

/** Players of demos: the list of moments, with buttons and keys to step and to play. */
export function startTimelines(): void {
  for (const player of document.querySelectorAll<HTMLElement>('[data-timeline-player]')) startTimeline(player);
}

function startTimeline(player: HTMLElement): void {
  const moments = [...player.querySelectorAll<HTMLElement>('[data-second]')];
  const controls = player.querySelector<HTMLElement>('.timeline-controls');
  const progress = player.querySelector('progress');
  const status = player.querySelector('[role="status"]');
  const toggle = player.querySelector('[data-move="toggle"]');
  const seconds = moments.map(({ dataset }) => Number(dataset.second));
  const last = moments.length - 1;
  if (last < 0 || controls === null || progress === null || status === null || toggle === null) return;

  const end = (seconds[last] as number) + lastMoment;
  const rate = Math.max(1, Math.ceil(end / longest));
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const playLabel = rate > 1 ? `Play ${rate}×` : 'Play';
  let current = -1;
  /** Where the demo is, in its seconds. */
  let position = 0;
  let playing = false;
  progress.max = end;

  const show = (index: number) => {
    if (index === current) return;
    moments[current]?.removeAttribute('aria-current');
    moments[index]?.setAttribute('aria-current', 'step');
    current = index;
    const label = moments[index]?.querySelector('strong')?.textContent ?? '';
    status.textContent = `${index + 1} of ${moments.length}, at ${seconds[index]} s: ${label}`;
  };
  const stop = () => {
    playing = false;
    toggle.textContent = playLabel;
  };
  const go = (index: number) => {
    stop();
    const within = Math.min(last, Math.max(0, index));
    position = seconds[within] as number;
    progress.value = position;
    show(within);
  };
  const play = () => {
    playing = true;
    toggle.textContent = 'Pause';
    if (position >= end) position = 0;
    let before = performance.now();
    const frame = (now: number) => {
      if (!playing) return;
      position = Math.min(end, position + (Math.max(0, now - before) / 1000) * rate);
      before = now;
      const index = Math.max(
        0,
        seconds.findLastIndex((second) => second <= position),
      );
      if (!calm.matches || index !== current) progress.value = position;
      show(index);
      if (position >= end) {
        progress.value = end;
        stop();
      } else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  const moves: Record<string, () => void> = {
    previous: () => go(current - 1),
    next: () => go(current + 1),
    first: () => go(0),
    last: () => go(last),
    toggle: () => (playing ? stop() : play()),
  };
  const keys: Record<string, string> = {
    ArrowLeft: 'previous',
    ArrowUp: 'previous',
    ArrowRight: 'next',
    ArrowDown: 'next',
    Home: 'first',
    End: 'last',
  };

  toggle.textContent = playLabel;
  controls.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('[data-move]');
    moves[button?.dataset.move ?? '']?.();
  });
  player.addEventListener('keydown', (event) => {
    const move = keys[event.key];
    if (move === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    moves[move]?.();
  });
  controls.hidden = false;
}
