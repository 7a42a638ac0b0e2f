class CallbackRegistry:
    def __init__(self):
        self.callbacks = []

    def fire_callbacks(self, *arguments):
        for callback in self.callbacks:
            callback(*arguments)
