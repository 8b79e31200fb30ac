// What the server, or the way to it, says no with.

/** The server said no, or nothing; the message is a sentence to show. */
export class RouteError extends Error {
  override name = "RouteError";

  /** `retryAfterMs`: after which the same question may have an answer; null where asking again is no use. */
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}
