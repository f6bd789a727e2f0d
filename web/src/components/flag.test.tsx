import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ConfigProvider } from '../config';
import type { Language } from '../languages';
import { config } from '../testing/api';
import { Flag } from './flag';

function pathsOf(language: Language, country_code: string | null): readonly (string | null)[] {
  const region = { ...config.region, country_code };
  const { container, unmount } = render(
    <ConfigProvider value={{ ...config, region }}>
      <Flag language={language} />
    </ConfigProvider>,
  );
  const paths = [...container.querySelectorAll('path')].map((path) => path.getAttribute('d'));
  unmount();
  return paths;
}

test('English has the flag of a British region, and no other language has', () => {
  const british = pathsOf('en', 'gb');
  expect(british).toHaveLength(3);
  expect(pathsOf('en', 'us')).not.toEqual(british);
  expect(pathsOf('en', 'de')).toEqual(pathsOf('en', 'us'));
  expect(pathsOf('en', null)).toEqual(pathsOf('en', 'us'));
  for (const language of ['de', 'es', 'pt'] as const) {
    expect(pathsOf(language, 'gb')).toEqual(pathsOf(language, 'us'));
  }
});
