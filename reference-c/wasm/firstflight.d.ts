/** A message or a scenario was refused, or the module cannot go on. */
export declare class FirstflightError extends Error {}

/** Sizes in bytes; without `initial_window_bytes` (null) the recommended window of RFC 9002. */
export interface Config {
  max_datagram_size_bytes: number;
  initial_window_bytes: number | null;
}

/** One event of spec/events.md; times in ns, sizes in bytes, numbers from 2^53 on as decimal strings. */
export interface Event {
  ev: string;
  t_ns: number | string;
  [member: string]: unknown;
}

/** What can be observed after an event; `ssthresh_bytes` is null while it is infinite. */
export interface Observed {
  i: number;
  cwnd_bytes: number;
  ssthresh_bytes: number | null;
  phase: string;
  outcome: string;
  next_release_ns: number | string | null;
  trigger: string | null;
  state?: Record<string, number | string | null>;
}

export interface Summary {
  events: number;
  duration_ns: number;
  slow_start_ended_ns: number | null;
  largest_cwnd_bytes: number;
  final_cwnd_bytes: number;
  dropped_packets: number;
  lost_packets: number;
  done: boolean;
}

export interface Controller {
  step(event: Event): Observed;
}

export declare class Firstflight {
  constructor(module: WebAssembly.Module);
  /** Answer one message of the adapter protocol. Throws FirstflightError where the message is malformed. */
  answer(line: string): string;
  /** Start a controller; the one before it is given up. */
  controller(algorithm: string, profile: string, config: Config): Controller;
  /** Run a scenario of spec/simulator.md. */
  simulate(scenario: object, algorithm: string, profile: string): { events: Event[]; summary: Summary };
}

/** Compile the module from its bytes or from a Response. */
export declare function load(source: BufferSource | Response | Promise<Response>): Promise<Firstflight>;
