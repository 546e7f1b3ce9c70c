// Loads the details of the questions that are to be answered, a few at a time.
import type { Api } from "../api";
import { asApiError } from "../api";
import type { QuestionDetails } from "../contract";
import type { InboxModel } from "./model";

const atOnce = 4;
/** The store of questions may be held by another process for a moment: status 503. */
const busyPause = 300;
const busyTries = 10;

export class DetailsLoader {
  private readonly loading = new Map<string, AbortController>();
  /** Questions whose details could not be loaded, with the reason. */
  readonly failures = new Map<string, string>();

  constructor(
    private readonly api: Api,
    private readonly model: InboxModel,
    private readonly changed: () => void,
  ) {}

  /** Starts what is missing, and ends what is no longer wanted. */
  run(): void {
    const missing = this.model.missing();
    const wanted = new Set(missing.map((question) => question.id));
    for (const [id, request] of this.loading) {
      if (wanted.has(id)) continue;
      request.abort();
      this.loading.delete(id);
    }
    for (const { id, digest } of missing) {
      if (this.loading.size >= atOnce) return;
      if (!this.loading.has(id) && !this.failures.has(id)) void this.load(id, digest);
    }
  }

  retry(): void {
    this.failures.clear();
    this.run();
  }

  private async load(id: string, digest: string): Promise<void> {
    const request = new AbortController();
    this.loading.set(id, request);
    try {
      this.model.load(await this.patiently(id, request.signal), digest);
    } catch (error) {
      const failure = asApiError(error);
      // A question that is gone leaves the list with the next event.
      if (!request.signal.aborted && failure.status !== 401) this.failures.set(id, failure.message);
    }
    if (this.loading.get(id) === request) this.loading.delete(id);
    this.changed();
  }

  private async patiently(id: string, signal: AbortSignal): Promise<QuestionDetails> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.api.question(id, signal);
      } catch (error) {
        if (signal.aborted || tries === busyTries || asApiError(error).status !== 503) throw error;
        await new Promise((resolve) => setTimeout(resolve, busyPause));
      }
    }
  }
}
