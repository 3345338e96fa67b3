import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { NodeNow } from './ironic-nodes.ts';

/** What was done to the lab. */
export type Entry =
  | { readonly kind: 'fault'; readonly number: number; readonly name: string; readonly detail: string }
  /** A user wants this; noted before it is sent, and sent until it is answered. */
  | { readonly kind: 'wish'; readonly wish: Wish }
  | { readonly kind: 'answer'; readonly wish: Wish; readonly answer: string }
  /** A server ended at once: what it did last may be in no record, or be undone. */
  | { readonly kind: 'gap'; readonly of: string }
  /** The API server has the objects again that it had at that time. */
  | { readonly kind: 'etcd restored'; readonly from: number }
  /** Ironic knows what it knew at that time, these nodes; after a loss, nothing of any time. */
  | { readonly kind: 'ironic put back'; readonly from: number; readonly nodes: readonly NodeNow[] }
  | { readonly kind: 'note'; readonly text: string };

export type Wish =
  | {
      readonly name: 'create host' | 'change host';
      readonly host: string;
      readonly spec: object;
      readonly image?: string;
    }
  | { readonly name: 'delete host'; readonly host: string }
  | { readonly name: 'create machine'; readonly machine: string; readonly image: string }
  | { readonly name: 'delete machine'; readonly machine: string };

export type Dated<T> = T & { readonly at: number };

export interface Journal {
  readonly file: string;
  readonly entries: readonly Dated<Entry>[];
  note(entry: Entry): void;
}

/** A journal in memory and as lines of JSON in a file. */
export function openJournal(file: string): Journal {
  const entries: Dated<Entry>[] = [];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  return {
    file,
    entries,
    note(entry) {
      const dated = { at: Date.now(), ...entry };
      entries.push(dated);
      appendFileSync(file, `${JSON.stringify({ time: new Date(dated.at).toISOString(), ...entry })}\n`);
    },
  };
}
