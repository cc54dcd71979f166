/** The longest time that a demo takes to play, in seconds. Longer demos play faster, by a whole factor. */
const longest = 20;

/** How long the last moment is shown, in seconds of the demo. */
const lastMoment = 4;

const moveOfKey: Record<string, string> = {
  ArrowLeft: 'previous',
  ArrowUp: 'previous',
  ArrowRight: 'next',
  ArrowDown: 'next',
  Home: 'first',
  End: 'last',
};

/** Starts the players of demos: the list of moments, with buttons and keys to step and to play. */
export function startTimelines(): void {
  for (const player of document.querySelectorAll<HTMLElement>('[data-timeline-player]')) startTimeline(player);
}

function startTimeline(player: HTMLElement): void {
  const moments = [...player.querySelectorAll<HTMLElement>('[data-second]')];
  const controls = player.querySelector<HTMLElement>('.timeline-controls');
  const progress = player.querySelector('progress');
  const status = player.querySelector('[role="status"]');
  const toggle = player.querySelector('[data-move="toggle"]');
  if (moments.length === 0 || controls === null || progress === null || status === null || toggle === null) return;

  const timeline = new Timeline(moments, { progress, status, toggle });
  controls.addEventListener('click', ({ target }) => {
    timeline.move((target as Element).closest<HTMLElement>('[data-move]')?.dataset.move);
  });
  player.addEventListener('keydown', (event) => {
    const move = moveOfKey[event.key];
    if (move === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    timeline.move(move);
  });
  controls.hidden = false;
}

interface Display {
  progress: HTMLProgressElement;
  /** Names the current moment. */
  status: Element;
  /** The button that plays and pauses. */
  toggle: Element;
}

class Timeline {
  readonly #moments: readonly HTMLElement[];
  readonly #display: Display;
  readonly #seconds: readonly number[];
  readonly #end: number;
  readonly #rate: number;
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #current = -1;
  /** In seconds of the demo. */
  #position = 0;
  #playing = false;

  constructor(moments: readonly HTMLElement[], display: Display) {
    this.#moments = moments;
    this.#display = display;
    this.#seconds = moments.map(({ dataset }) => Number(dataset.second));
    this.#end = (this.#seconds.at(-1) ?? 0) + lastMoment;
    this.#rate = Math.max(1, Math.ceil(this.#end / longest));
    display.progress.max = this.#end;
    this.#stop();
  }

  /** Performs the move of a button or a key. */
  move(name: string | undefined): void {
    if (name === 'previous') this.#go(this.#current - 1);
    else if (name === 'next') this.#go(this.#current + 1);
    else if (name === 'first') this.#go(0);
    else if (name === 'last') this.#go(this.#moments.length - 1);
    else if (name === 'toggle') this.#playing ? this.#stop() : this.#play();
  }

  #show(index: number): void {
    if (index === this.#current) return;
    this.#moments[this.#current]?.removeAttribute('aria-current');
    this.#moments[index]?.setAttribute('aria-current', 'step');
    this.#current = index;
    const label = this.#moments[index]?.querySelector('strong')?.textContent ?? '';
    this.#display.status.textContent = `${index + 1} of ${this.#moments.length}, at ${this.#seconds[index]} s: ${label}`;
  }

  #go(index: number): void {
    this.#stop();
    const within = Math.min(this.#moments.length - 1, Math.max(0, index));
    this.#position = this.#seconds[within] as number;
    this.#display.progress.value = this.#position;
    this.#show(within);
  }

  #stop(): void {
    this.#playing = false;
    this.#display.toggle.textContent = this.#rate > 1 ? `Play ${this.#rate}×` : 'Play';
  }

  #play(): void {
    this.#playing = true;
    this.#display.toggle.textContent = 'Pause';
    if (this.#position >= this.#end) this.#position = 0;
    let before = performance.now();
    const frame = (now: number) => {
      if (!this.#playing) return;
      this.#advance((Math.max(0, now - before) / 1000) * this.#rate);
      before = now;
      if (this.#playing) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  #advance(seconds: number): void {
    const { progress } = this.#display;
    this.#position = Math.min(this.#end, this.#position + seconds);
    const index = Math.max(
      0,
      this.#seconds.findLastIndex((second) => second <= this.#position),
    );
    if (!this.#calm.matches || index !== this.#current) progress.value = this.#position;
    this.#show(index);
    if (this.#position < this.#end) return;
    progress.value = this.#end;
    this.#stop();
  }
}
