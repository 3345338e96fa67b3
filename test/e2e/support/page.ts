import { writeFile } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { z } from 'zod';

/** A page as a person uses it: what can be seen is read, pressed and written to. */
export interface Page {
  visit(url: string): Promise<void>;
  /** The text that a reader sees; without details in Markdown, which are in frames. */
  text(): Promise<string>;
  /** The text in frames. */
  details(): Promise<string>;
  /** The texts of the visible elements that a selector matches, in the order of the page. */
  texts(selector: string): Promise<readonly string[]>;
  /**
   * Presses the element whose first line is this text ('': the first one), once it can be seen, is not covered and not
   * disabled.
   */
  press(selector: string, firstLine: string): Promise<void>;
  /** Presses it if that is possible now; false: it was not pressed. */
  pressed(selector: string, firstLine: string): Promise<boolean>;
  /** What is written in the visible field that a selector matches. */
  value(selector: string): Promise<string>;
  /** Replaces the text of the element that a selector matches. */
  write(selector: string, text: string): Promise<void>;
  /** A key for the page itself. */
  key(key: string): Promise<void>;
  address(): Promise<string>;
  /** Of the whole page, or of the element that a selector matches. */
  screenshot(file: string, selector?: string): Promise<void>;
}

/** The Web UI takes minutes to load on a busy computer. */
export const PATIENCE = { timeout: 600_000, interval: 250 };

/** A command of the DevTools protocol. */
export type Call = (method: string, params: object) => Promise<unknown>;

const evaluated = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.undefined().optional(),
});
const picture = z.object({ data: z.string() });
const area = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const list = z.array(z.string());

/** In the page: finds a visible element, or says why a person could not press it. */
const FIND = `(selector, firstLine) => {
  const isMeant = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    (firstLine === '' || element.innerText.trim().split('\\n')[0].trim() === firstLine);
  const found = [...document.querySelectorAll(selector)].find(isMeant);
  if (found === undefined) return 'missing';
  if (found.closest(':disabled, [aria-disabled=true]') !== null) return 'disabled';
  found.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = found.getBoundingClientRect();
  return found.contains(document.elementFromPoint(x + width / 2, y + height / 2)) ? found : 'covered';
}`;

const CLICK = 'found.click();';

/** The visible area of an element; the Web UI has dialogs twice, one of them hidden. */
const areaOf = (selector: string): string => `(() => {
  const found = [...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.checkVisibility());
  const { x, y, width, height } = found.getBoundingClientRect();
  const shown = (from, size, all) => Math.min(from + size, all) - Math.max(from, 0);
  return {
    x: Math.max(x, 0), y: Math.max(y, 0), width: shown(x, width, innerWidth), height: shown(y, height, innerHeight),
  };
})()`;

const FRAMES = `[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument?.body?.innerText ?? '')`;

export function pageOf(call: Call): Page {
  const evaluate = async (expression: string): Promise<unknown> =>
    evaluated.parse(await call('Runtime.evaluate', { expression, returnByValue: true })).result.value;
  const textOf = async (expression: string): Promise<string> => String(await evaluate(expression));
  /** Acts on an element, or says what is in the way. */
  const actNow = (selector: string, firstLine: string, act: string): Promise<unknown> =>
    evaluate(`(() => {
      const found = (${FIND})(${JSON.stringify(selector)}, ${JSON.stringify(firstLine)});
      if (typeof found === 'string') return found;
      ${act}
      return 'done';
    })()`);
  /** Acts on an element as soon as it can be pressed; the error says what is in the way. */
  const actOn = (selector: string, firstLine: string, act: string): Promise<void> =>
    vi.waitFor(
      async () => expect(await actNow(selector, firstLine, act), `${selector} ${firstLine}`).toBe('done'),
      PATIENCE,
    );
  return {
    async visit(url) {
      await call('Page.navigate', { url });
    },
    text: () => textOf('document.body.innerText'),
    details: () => textOf(`${FRAMES}.join('\\n')`),
    address: () => textOf('location.href'),
    texts: async (selector) =>
      list.parse(
        await evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
          .filter((each) => each.checkVisibility()).map((each) => each.innerText.trim())`),
      ),
    value: (selector) =>
      textOf(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.checkVisibility())?.value ?? ''`,
      ),
    press: (selector, firstLine) => actOn(selector, firstLine, CLICK),
    pressed: async (selector, firstLine) => (await actNow(selector, firstLine, CLICK)) === 'done',
    async write(selector, text) {
      await actOn(selector, '', 'found.focus(); document.execCommand("selectAll");');
      await call('Input.insertText', { text });
    },
    async key(key) {
      for (const type of ['keyDown', 'keyUp']) await call('Input.dispatchKeyEvent', { type, key });
    },
    async screenshot(file, selector = 'html') {
      const clip = { ...area.parse(await evaluate(areaOf(selector))), scale: 1 };
      await writeFile(file, picture.parse(await call('Page.captureScreenshot', { clip })).data, 'base64');
    },
  };
}
