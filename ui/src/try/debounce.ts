// Runs something when nothing new was asked for during a pause.

export class Debounce {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly pause: number) {}

  run(action: () => unknown): void {
    this.stop();
    this.timer = setTimeout(() => void action(), this.pause);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
