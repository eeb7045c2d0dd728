"""The shipped EHR-ChatQA tasks, made by `wardround.benchmarks.chatqa.build`."""
