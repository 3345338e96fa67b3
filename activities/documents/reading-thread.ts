import { parentPort } from 'node:worker_threads';
import { parse } from './parse.ts';

// Of a text with many mistakes, the parser keeps an error for each.
Error.stackTraceLimit = 0;

/** The program of a thread that reads texts, one after the other. Nothing is kept of a text. */
parentPort?.on('message', (text: string) => {
  parentPort?.postMessage(parse(text));
});
