import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hosts, local, step, token } from '../../test/plans/fixtures.ts';
import { canonical, type Json } from '../model/json.ts';
import { MASK } from '../model/text/mask.ts';
import { on } from './combinators.ts';
import { fingerprintText, isRef, masked, member, type Ref, refsIn, refText, resolveRefs, wantJson } from './ref.ts';

const value = on(hosts('a', 'b'), step('value'));
const object = value.ref() as unknown as Ref<{ readonly path: string; readonly inner: { readonly id: number } }>;
const secret = on(local, token({ hours: 1 })).ref();
const id = (key: { readonly name: string }) => `task/${key.name}`;

describe('a Ref', () => {
  it('is distinguished from anything that looks like one', () => {
    expect(isRef(object)).toBe(true);
    expect(isRef({ ...JSON.parse(JSON.stringify(object)) })).toBe(false);
    expect(isRef(null)).toBe(false);
  });

  it('is found wherever it is', () => {
    expect(refsIn({ a: [1, { b: object }], c: secret, d: null })).toEqual([object, secret]);
    expect(refsIn('x')).toEqual([]);
  });

  it('of a member of a member leads there', () => {
    expect(member(member(object, 'inner'), 'id').path).toEqual(['inner', 'id']);
  });

  it('is written with where it comes from', () => {
    expect(refText(member(object, 'path'), id)).toBe('task/value.path');
    expect(refText(value.refFrom({ name: 'b' }), id)).toBe('task/value@b');
    expect(refText(value.refs(), id)).toBe('task/value@*');
    expect(refText(secret, id)).toBe('secret task/token@local');
  });
});

describe('resolveRefs', () => {
  const found = { path: '/x', inner: { id: 7 } };

  it('puts values in, members too, and leaves the rest as it is', () => {
    const want = {
      plain: { deep: [1] },
      a: object,
      b: [member(object, 'path')],
      c: member(member(object, 'inner'), 'id'),
    };
    const resolved = resolveRefs(want, () => found) as typeof want;
    expect(resolved).toEqual({ plain: { deep: [1] }, a: found, b: ['/x'], c: 7 });
    expect(resolved.plain).toBe(want.plain);
  });

  it('returns a want without Refs itself, so that hosts share it', () => {
    const want = { a: [1, 2] };
    expect(resolveRefs(want, () => found)).toBe(want);
  });

  it('says undefined for a member that is not there', () => {
    expect(resolveRefs(member(object, 'path'), () => null)).toBeUndefined();
    expect(resolveRefs(member(object, 'path'), () => ({}))).toBeUndefined();
  });

  it('shows a mask for a member of what is masked', () => {
    const want = { path: member(object, 'path'), token: member(secret as unknown as typeof object, 'path') };
    expect(resolveRefs(want, masked)).toEqual({ path: '‹value.path›', token: MASK });
  });
});

describe('a want as JSON', () => {
  it('has its Refs written out and leaves out what is not set', () => {
    const want = { path: member(object, 'path'), mode: undefined, list: [undefined, 1] };
    expect(wantJson(want, id)).toEqual({ path: { $ref: 'task/value.path' }, list: [null, 1] });
  });

  it('cannot be mistaken: what merely looks like a Ref is wrapped', () => {
    expect(wantJson({ schema: { $ref: '#/x' } }, id)).toEqual({ schema: { $literal: { $ref: '#/x' } } });
    const json = fc.jsonValue().map((one) => JSON.parse(JSON.stringify(one)) as Json);
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(canonical(wantJson(a, id)) === canonical(wantJson(b, id))).toBe(canonical(a) === canonical(b));
      }),
    );
    expect(canonical(wantJson({ $ref: 'task/value' }, id))).not.toBe(canonical(wantJson({ a: object }, id)));
    expect(canonical(wantJson({ $literal: { $ref: 'x' } }, id))).not.toBe(canonical(wantJson({ $ref: 'x' }, id)));
  });

  it('gives equal text for equal inputs, whatever the order of their members', () => {
    expect(fingerprintText({ a: 1, b: object })).toBe(fingerprintText({ b: object, a: 1 }));
    expect(fingerprintText({ a: 1 })).not.toBe(fingerprintText({ a: '1' }));
  });
});
