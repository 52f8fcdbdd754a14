import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, unchanged } from './edited-text.ts';

test('edits are applied, and every kept character still knows where it stood', () => {
  const edit = fc.record({ at: fc.nat(40), remove: fc.nat(3), insert: fc.string({ maxLength: 3 }) });
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), fc.array(edit, { maxLength: 6 }), (text, edits) => {
      const fitting = edits.filter((one) => one.at + one.remove <= text.length);
      const { text: changed, original } = applyEdits(unchanged(text), fitting);
      let last = 0;
      for (let i = 0; i < changed.length; i += 1) {
        expect(original(i)).toBeGreaterThanOrEqual(last);
        expect(original(i)).toBeLessThanOrEqual(text.length);
        last = original(i);
      }
    }),
  );
});

test('places are found through several rounds', () => {
  const first = applyEdits(unchanged('name：node1，x'), [
    { at: 4, remove: 1, insert: ': ' },
    { at: 10, remove: 1, insert: ',' },
  ]);
  expect(first.text).toBe('name: node1,x');
  const second = applyEdits(first, [{ at: 0, remove: 0, insert: '- ' }]);
  expect(second.text).toBe('- name: node1,x');
  expect(second.original(second.text.indexOf('node1'))).toBe('name：node1，x'.indexOf('node1'));
  expect(second.original(second.text.indexOf('x'))).toBe('name：node1，x'.indexOf('x'));
});
