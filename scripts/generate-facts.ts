import { FACT_PAGES, factFile, readFactPage } from './facts/fact-page.ts';
import { renderFactPage } from './facts/render.ts';
import { putFile } from './generated-page.ts';

/** Generates the pages of `test/facts/` from the facts beside them. */
for (const name of FACT_PAGES) await putFile(factFile(name, 'md'), renderFactPage(name, readFactPage(name)), 'facts');
