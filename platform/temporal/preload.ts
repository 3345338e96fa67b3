import './no-call-stacks.ts';
import './one-watchdog.ts';
