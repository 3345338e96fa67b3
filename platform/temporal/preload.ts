import './no-bundler.ts';
import './no-call-stacks.ts';
import './one-watchdog.ts';
import { returnMemoryAtRest } from '../memory-at-rest.ts';

returnMemoryAtRest();
