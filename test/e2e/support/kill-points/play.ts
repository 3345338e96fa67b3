import { expect, vi } from 'vitest';
import { inWords, isMostlyMissed, mustBeReached, type Played, type Point, pointsOf, whyMissed } from './points.ts';
import { type Requests, requestsIn } from './requests.ts';
import type { Subject, Walk } from './walk.ts';

/** One wish of a user, from the state that it needs to the state that it leads to. */
export interface Operation {
  readonly name: string;
  /** Brings the host to the state in which the wish is made, if it is not in it. */
  prepare(host: string): Promise<unknown>;
  ask(host: string): Promise<unknown>;
  /** Resolves when the host, and what belongs to it, is as its objects say. */
  done(host: string): Promise<unknown>;
  /** The requests to servers for this wish. */
  readonly requests: Requests;
}

export interface Stage {
  readonly walk: Walk;
  /** The names under which requests are about the host. */
  readonly namesOf: (host: string) => Promise<readonly string[]>;
}

/** A host that does an operation, and where its process is killed then. */
interface Part {
  readonly operation: Operation;
  readonly host: string;
  readonly point?: Point;
}

type Aim = Required<Omit<Part, 'host'>>;

/** Time for writes that come after the host has reached its state, such as an Event. */
const LATE_MS = 60_000;

async function reached({ point, subject }: { readonly point?: Point; readonly subject: Subject }): Promise<void> {
  if (point === undefined || !mustBeReached(point)) return;
  const isReached = (): boolean => subject.killedAt() !== undefined;
  await vi.waitUntil(isReached, { timeout: LATE_MS, interval: 100 }).catch(() => undefined);
}

/** Lets all hosts do their operations at the same time. */
async function play<P extends Part>(
  { walk, namesOf }: Stage,
  parts: readonly P[],
): Promise<readonly (P & { readonly subject: Subject })[]> {
  await Promise.all(parts.map(({ operation, host }) => operation.prepare(host)));
  const named = await Promise.all(parts.map(async (part) => ({ part, names: await namesOf(part.host) })));
  const played = named.map(({ part, names }) => ({ ...part, subject: walk.begin(names, part.point) }));
  await Promise.all(parts.map(({ operation, host }) => operation.ask(host)));
  await Promise.all(parts.map(({ operation, host }) => operation.done(host)));
  await Promise.all(played.map(reached));
  await walk.settled();
  return played;
}

/** A server that was not made available before is made so once. Power counts where the operation says how often. */
function expectOnce({ requests }: Operation, { written }: Subject, what: string): void {
  const { provide = 0, off = 0, ...told } = requestsIn(written);
  expect('off' in requests ? { ...told, off } : told, what).toEqual(requests);
  expect(provide, what).toBeLessThanOrEqual(1);
}

/** Lets two hosts do one operation after the other without kills, and returns the points of each. */
async function rehearse(
  stage: Stage,
  operations: readonly Operation[],
  hosts: readonly string[],
): Promise<readonly Aim[]> {
  const all: Aim[] = [];
  for (const operation of operations) {
    const played = await play(
      stage,
      hosts.map((host) => ({ operation, host })),
    );
    for (const { host, subject } of played)
      expectOnce(operation, subject, `${operation.name} of ${host} without kills`);
    all.push(...pointsOf(played.map(({ subject }) => subject.sent)).map((point) => ({ operation, point })));
  }
  return all;
}

/** At most so many, from all parts of the list, where points before and after a write take turns. */
function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (count >= all.length) return all;
  const places = Array.from({ length: count }, (_, at) => Math.floor((at * all.length) / count) + ((at + 1) % 2));
  return [...new Set(places)].flatMap((place) => all.slice(place, place + 1));
}

/** Most points are chosen among the workers' writes, because workers do what cannot be undone. */
function choose(points: readonly Aim[], count: number): readonly Aim[] {
  const ofWorkers = points.filter(({ point }) => point.sender === 'workers');
  const chosen = spread(ofWorkers, Math.ceil((count * 2) / 3));
  const others = points.filter((one) => !ofWorkers.includes(one));
  return [...chosen, ...spread(others, count - chosen.length)];
}

/** How often a host tries to reach a point. */
const TRIES = 3;

/**
 * Plays the operations without kills, and then with a kill at each of their points, or at as many of them as there are
 * hosts: each host is killed at a point of its own, all at the same time. Every server must be told the same as without
 * kills. A point that a host does not reach is tried again by others; the first write of each kind must be reached, and
 * at least half of all points.
 */
export async function playAtPoints(
  stage: Stage,
  operations: readonly Operation[],
  { understudies, hosts }: { readonly understudies: readonly string[]; readonly hosts: readonly string[] },
  how: 'all' | 'some',
): Promise<Played> {
  const points = await rehearse(stage, operations, understudies);
  const open = (how === 'all' ? points : choose(points, hosts.length)).map((one) => ({ ...one, tries: 0 }));
  const killed: string[] = [];
  const missed: string[] = [];
  const never: string[] = [];
  while (open.length > 0) {
    const parts = open.splice(0, hosts.length).map((part, at) => ({ ...part, host: hosts[at] ?? '' }));
    for (const { operation, host, point, tries, subject } of await play(stage, parts)) {
      const isKilled = subject.killedAt() !== undefined;
      const what = `${operation.name}, ${inWords(point)}`;
      expectOnce(
        operation,
        subject,
        `${host}: ${what}${isKilled ? '' : ', not reached'}; ${JSON.stringify(subject.sent)}`,
      );
      if (isKilled) killed.push(what);
      else if (tries + 1 < TRIES) open.push({ operation, point, tries: tries + 1 });
      else (mustBeReached(point) ? never : missed).push(`${what}: ${whyMissed(point, subject.sent)}`);
    }
  }
  expect(never, 'points that have to be reached').toEqual([]);
  expect(isMostlyMissed({ killed, missed }), `most points were not reached: ${missed.join('; ')}`).toBe(false);
  return { killed, missed };
}
