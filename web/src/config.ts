import { createContext, use } from 'react';
import type { Config } from './api/config';

const ConfigContext = createContext<Config | null>(null);

export const ConfigProvider = ConfigContext.Provider;

/** Returns the configuration for the screens: the region (brand, language, links) of this host, and limits. */
export function useConfig(): Config {
  const config = use(ConfigContext);
  if (!config) throw new Error('useConfig is called outside of ConfigProvider');
  return config;
}
