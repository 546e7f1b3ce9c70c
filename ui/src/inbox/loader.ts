// Loads the details of the questions that are to be answered, a few at a time.
import type { Api } from "../api";
import { asApiError } from "../api";
import type { InboxModel } from "./model";

const atOnce = 4;

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
      this.model.load(await this.api.question(id, request.signal), digest);
    } catch (error) {
      const failure = asApiError(error);
      // A question that is gone leaves the list with the next event.
      if (!request.signal.aborted && failure.status !== 401) this.failures.set(id, failure.message);
    }
    if (this.loading.get(id) === request) this.loading.delete(id);
    this.changed();
  }
}
