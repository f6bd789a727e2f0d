import { Component, type ReactNode } from 'react';
import { logFailure } from '../api/message';
import { ErrorScreen } from './error-screen';

interface Props {
  children: ReactNode;
  /** The current path. A change of the path clears the error. */
  path: string;
}

interface State {
  failure: unknown;
  failed: boolean;
  path: string;
}

/** Catches the render errors of a screen and shows the error screen. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: null, failed: false, path: this.props.path };

  static getDerivedStateFromError(failure: unknown): Partial<State> {
    return { failure, failed: true };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.path === state.path ? null : { path: props.path, failed: false };
  }

  override componentDidCatch(failure: unknown): void {
    logFailure(failure);
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <ErrorScreen
        failure={this.state.failure}
        onRetry={() => this.setState({ failure: null, failed: false })}
      />
    );
  }
}
