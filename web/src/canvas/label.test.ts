import { expect, it } from 'vitest';
import { fitLabel } from './label';

it('shortens a Java name from its outside to its method', () => {
  const name = 'java.io.FileOutputStream.write(java.lang.String,int)';
  expect(fitLabel(name, 60)).toBe(name);
  expect(fitLabel(name, 44)).toBe('java.io.FileOutputStream.write(String,int)');
  expect(fitLabel(name, 36)).toBe('FileOutputStream.write(String,int)');
  expect(fitLabel(name, 24)).toBe('FileOutputStream.write');
  expect(fitLabel(name, 10)).toBe('write');
  expect(fitLabel(name, 4)).toBe('wri…');
  expect(fitLabel(name, 2)).toBe('');
});

it('cuts other names at their end', () => {
  expect(fitLabel('asm_exc_page_fault', 8)).toBe('asm_exc…');
  expect(fitLabel('<no Java callstack recorded>', 10)).toBe('<no Java …');
  expect(fitLabel('std::vector<int>::push_back(int)', 28)).toBe('std::vector<int>::push_back');
});
