"""The paper's experiments and ours, on the public interface of sfplearn alone."""
