import { Component, type ReactNode } from 'react';
import { report } from '../api/message';
import { ErrorScreen } from './error-screen';

interface Props {
  children: ReactNode;
  /** Where the visitor is: going elsewhere leaves the error behind. */
  place: string;
}

interface State {
  failure: unknown;
  failed: boolean;
  place: string;
}

/** Catches what a screen throws, and shows a way on instead of an empty page. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: null, failed: false, place: this.props.place };

  static getDerivedStateFromError(failure: unknown): Partial<State> {
    return { failure, failed: true };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.place === state.place ? null : { place: props.place, failed: false };
  }

  override componentDidCatch(failure: unknown): void {
    report(failure);
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
